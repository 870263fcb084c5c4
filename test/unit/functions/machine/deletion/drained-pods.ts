// Pods and MachineDrainRules, for tests of drains.
import { type MachineDrainRule, readMachineDrainRule } from '../../../../../shared/api/machine-drain-rule/reader.ts';
import { type Pod, readPod } from '../../../../../shared/api/pod/reader.ts';

export const now = Date.parse('2026-01-01T12:00:00Z');

interface PodChange {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly daemonSet?: string;
  readonly phase?: string;
  readonly deletedAgoMs?: number;
  readonly namespace?: string;
}

export function aPod(name: string, change: PodChange = {}): Pod {
  const { labels = {}, annotations = {}, daemonSet, phase = 'Running', deletedAgoMs, namespace = 'app' } = change;
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: daemonSet ?? '', uid: 'd', controller: true };
  return readPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      resourceVersion: '1',
      labels,
      annotations,
      ...(daemonSet === undefined ? {} : { ownerReferences: [owner] }),
      ...(deletedAgoMs === undefined ? {} : { deletionTimestamp: new Date(now - deletedAgoMs).toISOString() }),
    },
    spec: {},
    status: { phase },
  });
}

export function aRule(name: string, spec: object): MachineDrainRule {
  return readMachineDrainRule({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDrainRule',
    metadata: { name, uid: name, resourceVersion: '1' },
    spec,
  });
}

export const labelled = (app: string) => ({ selector: { matchLabels: { app } } });
