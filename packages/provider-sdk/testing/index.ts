// The functions and types that a provider author's tests import.
export { actuatorConformance } from './actuator-conformance.ts';
export { infrastructureConformance } from './conformance.ts';
export type {
  ActuatorConformanceSetup,
  CommonSetup,
  ConformanceCase,
  ConformanceSetup,
  ConformanceStep as Step,
  SuiteSpec,
} from './setup.ts';
