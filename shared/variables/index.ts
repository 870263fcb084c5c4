// Variables of ClusterClasses: definitions, their merge, defaults and values.
export { defaultVariables } from './defaulting.ts';
export { conflictingVariables, mergeDefinitions, type VariableSource } from './merge-definitions.ts';
export { readClusterVariables, readStatusVariables, readVariableDefinitions } from './read.ts';
export type {
  ClusterClassVariable,
  ClusterVariable,
  StatusVariable,
  StatusVariableDefinition,
  VariableSchema,
} from './schema.ts';
export { type RulesForValues, rulesForValues } from './validation-rules.ts';
export { type ListToValidate, validateBySchema, validateVariables } from './values.ts';
export { validateVariableDefinitions } from './variable-definitions.ts';
