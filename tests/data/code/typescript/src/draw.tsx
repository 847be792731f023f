import type { Shape } from "./shape"; // Shape -> src/shape.ts:1
import { Circle, grow } from "./index"; // Circle -> src/shape.ts:5 // scale -> src/shape.ts:13

export function Picture(props: { shapes: Shape[] }) { // Shape -> src/shape.ts:1
  const made = new Circle(1); // Circle -> src/shape.ts:5
  const scale = (value: number) => value;
  return <ul>{props.shapes.map((each) => <li>{scale(each.area())}</li>)}</ul>; // area -> ?
}

export const Page = () => <Picture shapes={[grow(1)]} />; // Picture -> src/draw.tsx:4 // scale -> src/shape.ts:13
