// Variables of ClusterClasses: definitions, their merge, defaults and values.
export { defaultVariables } from './defaulting.ts';
export { validateVariableDefinitions } from './definitions.ts';
export { conflictingVariables, mergeDefinitions, type VariableSource } from './merge.ts';
export { readClusterVariables, readStatusVariables, readVariableDefinitions } from './read.ts';
export { type RulesForValues, rulesForValues } from './rules.ts';
export type {
  ClusterClassVariable,
  ClusterVariable,
  StatusVariable,
  StatusVariableDefinition,
  VariableSchema,
} from './schema.ts';
export { type ListToValidate, validateBySchema, validateVariables } from './values.ts';
