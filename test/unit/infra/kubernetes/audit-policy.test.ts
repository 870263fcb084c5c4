import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditLimits, auditWebhookFlags, toAuditPolicy } from '../../../../infra/kubernetes/audit-policy.ts';
import { maxBodyBytes } from '../../../../shared/http/body.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';

const definitionKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  scope: 'Cluster',
} as const;

describe('the audit policy', () => {
  const watch = { as: 'metadata', map: () => [] } as const;
  const policy = toAuditPolicy(
    [
      aDeclaration({
        watches: [
          { ...watch, source: 'referenced' },
          { ...watch, source: { ...widgetKind, group: 'watched.example.com' } },
          { ...watch, source: definitionKind },
          { ...watch, source: { ...widgetKind, group: '', version: 'v1', kind: 'Secret' } },
        ],
      }),
    ],
    ['provider.example.com'],
  );

  it('logs the responses of writes to every group that is watched or may be named, without managed fields', () => {
    expect(policy.rules[0]).toEqual({
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      resources: [
        'cluster.x-k8s.io',
        'runtime.cluster.x-k8s.io',
        widgetKind.group,
        'watched.example.com',
        'provider.example.com',
      ].map(group => ({ group })),
      omitManagedFields: true,
    });
  });

  it('logs only the names of changed definitions and core objects: no Secret leaves the API server', () => {
    expect(policy.rules.slice(1)).toEqual([
      {
        level: 'Metadata',
        verbs: policy.rules[0]?.verbs,
        resources: [
          { group: definitionKind.group, resources: ['customresourcedefinitions'] },
          { group: '', resources: ['secrets'] },
        ],
      },
      { level: 'None' },
    ]);
  });

  it('logs one event per request, once it is answered', () => {
    expect(policy.omitStages).toEqual(['RequestReceived', 'ResponseStarted', 'Panic']);
  });
});

describe('the flags of the API server', () => {
  it("keep a full batch of the largest events below the function's payload limit, quotes escaped", () => {
    const escaped = 1.5;
    expect(auditLimits.batchEvents * auditLimits.eventBytes * escaped).toBeLessThan(maxBodyBytes);
    expect(auditWebhookFlags).toEqual([
      '--audit-webhook-batch-max-size=50',
      '--audit-webhook-batch-max-wait=1s',
      '--audit-webhook-truncate-enabled=true',
      '--audit-webhook-truncate-max-event-size=65536',
    ]);
  });

  it('are in the documentation', () => {
    const text = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/event-sources.md'), 'utf8');
    expect(text).toContain(auditWebhookFlags.join('\n'));
  });
});
