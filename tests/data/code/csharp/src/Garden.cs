namespace Green
{
    public class Garden
    {
        public void Water(int litres)
        {
            Count(litres); // Count -> src/Garden.cs:11
            this.Count(1); // Count -> src/Garden.cs:11
        }

        private int Count(int n)
        {
            return n;
        }
    }
}
