using System;
using Green;

namespace Tool
{
    class Program
    {
        static void Main()
        {
            var garden = new Garden(); // Garden -> src/Garden.cs:3
            garden.Water(3); // Water -> ?
            int Count = 1;
            Console.WriteLine(Count);
        }
    }
}
