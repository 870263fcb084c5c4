// The suite of a deployment with fewer feature gates on a real API server. Its roles are those that the synthesis
// writes, and its functions use exactly these permissions. A bundle reads its settings once per process, so each such
// deployment has its own test file. A commit takes one of these files (test/steps/rotating-files.ts).

import { type FeatureGates, gatesWhere } from '@capi-serverless/cluster-api/feature-gates';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';
import { toDeploymentRbac } from '../../../infra/kubernetes/deployment-rbac.ts';
import { stateNamespace } from '../../../infra/kubernetes/identities.ts';
import { outputs } from '../../../infra/kubernetes/outputs.ts';
import { describeReal } from '../../support/describe-real.ts';
import { compareRights, toGrants, toReport, unboundRoles } from '../../support/rights.ts';
import { type AuditedDeployment, auditDeployment, rolesWith } from './deployment.ts';
import { scenarios } from './scenarios.ts';

interface GatedDeployment {
  /** The gates that are on. */
  readonly on: readonly (keyof FeatureGates)[];
  /** Default: all namespaces. */
  readonly secretNamespaces?: readonly string[];
}

const forwarderFiles = outputs.filter(
  ({ path }) => path.startsWith('forwarder/') && !path.endsWith('/kustomization.yaml'),
);

export function gatedDeployment(name: string, { on, secretNamespaces }: GatedDeployment): void {
  const gates = gatesWhere(gate => on.includes(gate));

  describeReal(name, () => {
    let deployment: AuditedDeployment;

    beforeAll(async () => {
      const rights = { gates, secretNamespaces, stateNamespaces: [stateNamespace], identity: 'groups' } as const;
      deployment = await auditDeployment({
        gates,
        files: new Map([
          ['deployment.yaml', toDeploymentRbac(declarations, rights)],
          ...forwarderFiles.map(({ path, text }) => [path, text] as const),
        ]),
      });
    });

    afterAll(() => deployment?.plane.stop());

    it('has a scenario for each role', () => {
      expect(rolesWith(gates).filter(role => scenarios[role] === undefined)).toEqual([]);
    });

    it('is allowed exactly what its functions request', () => {
      expect(deployment.requests.length).toBeGreaterThan(0);
      expect(toReport(compareRights(toGrants(deployment.rbac), deployment.requests))).toBe('');
      expect(unboundRoles(deployment.rbac)).toEqual([]);
    });
  });
}
