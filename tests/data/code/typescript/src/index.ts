export { Circle, scale as grow } from "./shape"; // Circle -> src/shape.ts:5 // scale -> src/shape.ts:13
export * from "./draw";
