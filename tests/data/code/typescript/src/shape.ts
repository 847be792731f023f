export interface Shape {
  area(): number;
}

export class Circle implements Shape { // Shape -> src/shape.ts:1
  constructor(private radius: number) {}

  area(): number {
    return scale(this.radius); // scale -> src/shape.ts:13
  }
}

export function scale(value: number): number {
  return value * 2;
}
