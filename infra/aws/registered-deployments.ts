// The deployments of an app, of which two must not have the same names or reconcile the same objects.
import type { Declaration } from '@capi-serverless/reconciler';
import { Stack } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import { DeploymentError } from './deployment.ts';
import { findConflict } from './deployment-conflicts.ts';
import type { Deployment } from './deployment-schema.ts';

export interface Registered {
  readonly scope: Construct;
  readonly deployment: Deployment;
  /** Undefined for a provider, whose kinds are its own. */
  readonly declarations: readonly Declaration[] | undefined;
}

const byApp = new WeakMap<IConstruct, Registered[]>();

/**
 * Throws DeploymentError if the new deployment cannot exist beside an earlier one of the app. Stacks without account and
 * region count as one place, because they are deployed with the same credentials.
 */
export function register(added: Registered): void {
  const others = registeredWith(added.scope);
  for (const other of others) {
    const conflict = findConflictOf(other, added);
    if (conflict !== undefined) {
      throw new DeploymentError(`${conflict} (${other.scope.node.path} and ${added.scope.node.path})`);
    }
  }
  byApp.set(added.scope.node.root, [...others, added]);
}

/** All deployments of the app to which the construct belongs. */
export function registeredWith({ node }: IConstruct): readonly Registered[] {
  return byApp.get(node.root) ?? [];
}

function findConflictOf(one: Registered, other: Registered): string | undefined {
  const isSamePlace = Stack.of(one.scope).environment === Stack.of(other.scope).environment;
  if (one.declarations !== undefined && other.declarations !== undefined) {
    return findConflict(one.deployment, other.deployment, { isSamePlace });
  }
  return isSamePlace && one.deployment.name === other.deployment.name
    ? `Deployment ${other.deployment.name}: the name is not unique; choose another name`
    : undefined;
}
