// Classes whose variables extensions define, for scenarios.
import { aPlainClusterClass } from '../../../support/cluster-class.ts';
import {
  anExtension,
  answerVariables,
  aWorld,
  type ClusterClassWorld,
  type ClusterClassWorldOptions,
  type ReconciledClass,
} from './reconciled-class.ts';

export const status = 'patch ClusterClass ns/cc status';
export const failed = (message: string): string => `False/VariableDiscoveryFailed VariableDiscovery failed: ${message}`;
export const failedPhase = (message: string): string => `failed to discover variables for ClusterClass cc: ${message}`;

/** The status of a variable with one definition for each source. */
export function listed(name: string, definitions: Readonly<Record<string, unknown>>, definitionsConflict = false) {
  return {
    name,
    definitionsConflict,
    definitions: Object.entries(definitions).map(([from, schema]) => ({
      from,
      required: false,
      schema: { openAPIV3Schema: schema },
    })),
  };
}

export function discovered(name: string, schema: unknown, more = {}) {
  return { name, required: false, schema: { openAPIV3Schema: schema }, ...more };
}

/** Returns a class with valid templates. `ext1` has these handlers with these variables. */
export function withExtension(
  clusterClass: ReturnType<typeof aPlainClusterClass>,
  answers: Readonly<Record<string, readonly unknown[]>>,
  options: ClusterClassWorldOptions = {},
): ClusterClassWorld {
  const world = aWorld(clusterClass, options);
  world.api.given(anExtension('first', 'second'));
  for (const [handler, variables] of Object.entries(answers)) {
    answerVariables(world.hooks, handler, variables);
  }
  return world;
}

export const discovering = aPlainClusterClass().discovering({ p1: 'first.ext1' });
export const discoveringTwice = aPlainClusterClass().discovering({ p1: 'first.ext1', p2: 'second.ext1' });

export function stateOf(reconciled: ReconciledClass) {
  return {
    result: reconciled.result,
    variables: reconciled.condition('VariablesReady'),
    observed: reconciled.observedGeneration,
  };
}

export const ready = { result: 'done', variables: 'True/VariablesReady', observed: 1 };
