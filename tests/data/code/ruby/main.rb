require_relative "lib/oven"

oven = Kitchen::Oven.new # Kitchen -> lib/oven.rb:1 # Oven -> lib/oven.rb:2
oven.bake("rye") # bake -> ?

def serve(heat)
  heat
end
