import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { Outcome } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { type ObservedExtensionConfig, plan } from '../../../../functions/extensionconfig/plan.ts';
import { report } from '../../../../functions/extensionconfig/report.ts';
import { type ExtensionHandler, readExtensionConfig } from '../../../../shared/api/extension-config/reader.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { hooksApiVersion } from './reconciled-extension-config.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const lastTransitionTime = '2026-01-01T01:00:00Z';
const handler: ExtensionHandler = {
  name: 'h.ext1',
  requestHook: { apiVersion: hooksApiVersion, hook: 'GeneratePatches' },
  failurePolicy: 'Fail',
};
const settled = anExtensionConfig()
  .atGeneration(3)
  .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 2 });
const paused = { type: 'Paused', status: 'False', reason: 'NotPaused', message: '', observedGeneration: 3 };

function reportOf(seen: ObservedExtensionConfig, outcomes: Readonly<Record<string, Outcome>> = {}) {
  return report(plan(seen), new Map(Object.entries(outcomes)), now);
}

function discovery(config: typeof settled, discovered: Checked<readonly ExtensionHandler[]>) {
  return reportOf({ step: 'discovery', config: readExtensionConfig(config.build()), discovered });
}

describe('after a discovery', () => {
  it('reports the handlers, both conditions, and when to reconcile again', () => {
    expect(discovery(settled, valid([handler]))).toEqual({
      status: {
        status: {
          handlers: [handler],
          conditions: [
            {
              type: 'Discovered',
              status: 'True',
              reason: 'Discovered',
              message: '',
              observedGeneration: 3,
              lastTransitionTime,
            },
            { ...paused, lastTransitionTime: '2026-01-01T00:00:00Z' },
          ],
          deprecated: { v1beta1: { conditions: [{ type: 'Discovered', status: 'True', lastTransitionTime }] } },
        },
      },
      events: [],
      result: { kind: 'requeueAfter', ms: 600_000 },
    });
  });

  it.each([
    { answer: valid([]), before: [handler], handlers: undefined, reason: 'an empty answer removes the list' },
    { answer: valid([handler]), before: undefined, handlers: [handler], reason: 'the first list' },
    {
      answer: invalid<readonly ExtensionHandler[]>('e'),
      before: [handler],
      handlers: [handler],
      reason: 'a failure keeps the list',
    },
    {
      answer: invalid<readonly ExtensionHandler[]>('e'),
      before: undefined,
      handlers: undefined,
      reason: 'a failure without list adds none',
    },
  ])('handlers: $reason', ({ answer, before, handlers }) => {
    const config = before === undefined ? settled : settled.withStatus({ handlers: before });
    expect(discovery(config, answer).status?.status['handlers']).toEqual(handlers);
  });

  it('keeps the status fields of other writers', () => {
    const config = settled
      .withStatus({ extra: 1, deprecated: { extra: 2, v1beta1: { extra: 3 } } })
      .withCondition('Other')
      .withV1Beta1Condition('Other');
    expect(discovery(config, invalid('e')).status?.status).toMatchObject({
      extra: 1,
      conditions: [{ type: 'Discovered' }, { type: 'Other' }, { type: 'Paused' }],
      deprecated: { extra: 2, v1beta1: { extra: 3, conditions: [{ type: 'Discovered' }, { type: 'Other' }] } },
    });
  });

  it('fails with the error, and reports it', () => {
    const reconciled = discovery(settled, invalid('no answer'));
    expect(reconciled.result).toEqual({ kind: 'failed', error: new Error('no answer'), terminal: false });
    expect(reconciled.status?.status).toMatchObject({
      conditions: [{ type: 'Discovered', status: 'False', message: 'Error in discovery: no answer' }, paused],
      deprecated: { v1beta1: { conditions: [{ severity: 'Error', message: 'Error in discovery: no answer' }] } },
    });
  });
});

describe('without a discovery', () => {
  const config = readExtensionConfig(settled.build());

  it.each([
    { isReported: true, message: 'no Secret', reason: 'a lasting failure is reported' },
    { isReported: false, message: undefined, reason: 'a temporary failure is not reported' },
  ])('$reason', ({ isReported, message }) => {
    const reconciled = reportOf({ step: 'failed', config, error: 'no Secret', isReported });
    expect(reconciled.result).toEqual({ kind: 'failed', error: new Error('no Secret'), terminal: false });
    const status = reconciled.status?.status as { conditions: readonly { message: string }[] } | undefined; // true: it is reported in this form
    expect(status?.conditions[0]?.message).toBe(message);
  });

  const patch = 'failed to patch ExtensionConfig ext1 with the caBundle of its Secret: no';
  it.each<{ outcome: Outcome; result: unknown; reason: string }>([
    { outcome: { state: 'done' }, result: { kind: 'again' }, reason: 'the new caBundle is used at once' },
    {
      outcome: { state: 'failed', failure: { reason: 'Forbidden', message: 'no' } },
      result: { kind: 'failed', error: new Error(patch), terminal: false },
      reason: 'a refused write is retried later',
    },
  ])('$reason', ({ outcome, result }) => {
    expect(reportOf({ step: 'inject', config, caBundle: 'x' }, { caBundle: outcome })).toEqual({ events: [], result });
  });
});
