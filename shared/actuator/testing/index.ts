// What the tests of a provider's author import.
export { infrastructureConformance } from './conformance.ts';
export type { ConformanceCase, ConformanceSetup, Step } from './setup.ts';
