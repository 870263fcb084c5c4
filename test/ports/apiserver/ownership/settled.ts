// Applies a computed topology to a server with this project's CRDs. The stored objects are settled.

import { groupOf, type Intent, pluralOf, versionOf } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toIntent } from '../../../../functions/topology/plan/intent/filter.ts';
import { clusterGroup } from '../../../../shared/api/cluster/reader.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';
import { desiredFor, intentsOf } from '../../../support/topology-changes.ts';
import { aBlueprint, aTopologyClass } from '../../../support/topology-objects.ts';
import { type Api, created } from '../api-case.ts';
import { applyAt } from '../applied.ts';
import { type ApiServerSubject, prepare } from '../subject.ts';

const check = {
  checks: {
    nodeStartupTimeoutSeconds: 600,
    unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }],
  },
  remediation: { triggerIf: { unhealthyLessThanOrEqualTo: '40%' } },
};
const worker = {
  healthCheck: check,
  readinessGates: [{ conditionType: 'example.com/ready' }],
  taints: [{ key: 'example.com/t', value: 'v', effect: 'NoSchedule', propagation: 'Always' }],
  rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } } },
  deletion: { order: 'Oldest', nodeDrainTimeoutSeconds: 10 },
};

/** Declares the check against one server. It opens the server once and closes it at the end. */
export function settledTopology(name: string, open: () => Promise<ApiServerSubject>): void {
  describe(`a topology that was just applied: ${name}`, () => {
    let subject: ApiServerSubject | undefined;
    let api: Api;

    beforeAll(async () => {
      subject = await open();
      api = await prepare(subject);
      const providers = new Map(
        wanted()
          .filter(isProvided)
          .map(intent => [intent.kind, looseCrd(intent)]),
      );
      const core = coreCrds.filter(({ metadata }) => /^machine(deployment|pool|healthcheck)s\./.test(metadata.name));
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await Promise.all([...core, ...providers.values()].map(async crd => created(await api.http.post(path, crd))));
    });

    afterAll(() => subject?.close());

    it('is settled, for each of its objects, without a dry run', async () => {
      for (const intent of wanted()) {
        const { namespace } = api;
        const sent = { ...intent, metadata: { ...intent.metadata, namespace } };
        const path = `/apis/${sent.apiVersion}/namespaces/${namespace}/${pluralOf(sent.kind)}/${sent.metadata.name}`;
        const as = { fieldManager: topologyManager, force: 'true' };
        // A kind is served with a delay after its CRD is stored.
        const made = await vi.waitFor(async () => created(await applyAt(api, path, sent, as)), { timeout: 300_000 });
        expect({ kind: sent.kind, made, is: appliesWithoutChange(sent, made, 'capi-topology') }).toMatchObject({
          is: 'certain',
        });
        const again = await applyAt(api, path, { ...sent, metadata: { ...sent.metadata, uid: made.metadata.uid } }, as);
        expect(again.body).toEqual(made);
      }
    });
  });
}

/** Returns every object, including health checks. */
function wanted(): readonly Intent[] {
  const clusterClass = aTopologyClass({ controlPlane: { healthCheck: check }, machineDeployment: worker });
  return intentsOf(desiredFor(aBlueprint({ clusterClass }))).map(intent => toIntent(intent));
}

function isProvided({ apiVersion }: Intent): boolean {
  return groupOf(apiVersion) !== clusterGroup;
}

/** The smallest schema that a provider can have. */
function looseCrd({ apiVersion, kind }: Intent) {
  const plural = pluralOf(kind);
  const group = groupOf(apiVersion);
  const loose = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: loose } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: versionOf(apiVersion), served: true, storage: true, schema }],
    },
  } as const;
}
