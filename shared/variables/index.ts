// Variables of ClusterClasses: definitions, their merge, defaults and values.
export { type Defaulted, defaultVariables, type ListToDefault } from './defaulting.ts';
export { validateVariableDefinitions } from './definitions.ts';
export { conflictingVariables, mergeDefinitions, type VariableSource } from './merge.ts';
export { readClusterVariables, readStatusVariables, readVariableDefinitions } from './read.ts';
export type {
  ClusterClassVariable,
  ClusterVariable,
  StatusVariable,
  StatusVariableDefinition,
  VariableMetadata,
  VariableRule,
  VariableSchema,
} from './schema.ts';
export { type ListToValidate, validateBySchema, validateVariables } from './values.ts';
