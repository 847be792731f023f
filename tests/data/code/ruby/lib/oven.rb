module Kitchen
  class Oven
    def bake(bread)
      heat(200) # heat -> lib/oven.rb:8
      bread
    end

    def heat(degrees)
      degrees
    end
  end
end
