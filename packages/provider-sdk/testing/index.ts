// The imports of a provider author's tests.
export { actuatorConformance } from './actuator-conformance.ts';
export { infrastructureConformance } from './conformance.ts';
export type {
  ActuatorConformanceSetup,
  CommonSetup,
  ConformanceCase,
  ConformanceSetup,
  Step,
  SuiteSpec,
} from './setup.ts';
