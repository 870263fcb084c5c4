import { describe, expect, it } from 'vitest';
import { explainExtension, toExtensionTree, viewExtension } from '../../../../functions/extensionconfig/explain.ts';
import { toLines } from '../../../../local/view/tree-lines.ts';
import { toSentences } from '../../../../shared/explain/explanation.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';

const apiVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';
const handlers = [
  { name: 'first.ext1', requestHook: { apiVersion, hook: 'GeneratePatches' } },
  { name: 'second.ext1', requestHook: { apiVersion, hook: 'BeforeClusterCreate' } },
];
const discovered = anExtensionConfig().withStatus({ handlers }).withCondition('Discovered');
const down = discovered.withCondition('Discovered', {
  status: 'False',
  reason: 'NotDiscovered',
  message: 'Error in discovery: no answer',
});
const withoutSecret = discovered.withCondition('Discovered', {
  status: 'False',
  reason: 'NotDiscovered',
  message: 'failed to reconcile caBundle: secret ns/s does not contain a "ca.crt" entry',
});
const paused = discovered.paused().withCondition('Paused', {
  reason: 'Paused',
  message: 'ExtensionConfig has the cluster.x-k8s.io/paused annotation',
});

describe('an ExtensionConfig on the screen', () => {
  it.each([
    {
      object: discovered,
      lines: [
        '✓ ExtensionConfig/ext1    Discovered  2 handlers',
        '├─ ✓ GeneratePatches      first.ext1',
        '└─ ✓ BeforeClusterCreate  second.ext1',
      ],
      reason: 'all is known',
    },
    {
      object: down,
      lines: [
        '✗ ExtensionConfig/ext1    waiting for Discovered: Error in discovery: no answer',
        '├─ · GeneratePatches      first.ext1',
        '└─ · BeforeClusterCreate  second.ext1',
      ],
      reason: 'handlers are known from before',
    },
    {
      object: anExtensionConfig(),
      lines: ['… ExtensionConfig/ext1  waiting for its first discovery'],
      reason: 'it was not called yet',
    },
    {
      object: paused,
      lines: [
        '‖ ExtensionConfig/ext1    waiting for its pause to end: ExtensionConfig has the cluster.x-k8s.io/paused annotation',
        '├─ ✓ GeneratePatches      first.ext1',
        '└─ ✓ BeforeClusterCreate  second.ext1',
      ],
      reason: 'its handlers are still called',
    },
  ])('$reason', ({ object, lines }) => {
    const layout = { width: Number.POSITIVE_INFINITY, color: false };
    expect(toLines(toExtensionTree(object.build()), layout)).toEqual(lines);
  });

  it('counts handlers that there is no room for', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...handlers[0], name: `h${index}.ext1` }));
    const rows = toExtensionTree(discovered.withStatus({ handlers: many }).build());
    expect(rows).toHaveLength(12);
    expect(rows.at(-1)?.name).toBe('2 more');
  });

  it('is one view for lines and programs', () => {
    expect(viewExtension(down.build())).toEqual({
      discovered: false,
      handlers: ['first.ext1', 'second.ext1'],
      waitingFor: 'Discovered: Error in discovery: no answer',
    });
  });
});

describe('why an ExtensionConfig waits', () => {
  const again = 'What to do: call it now: npx capi-serverless reconcile extensionconfig ext1';
  it.each([
    { object: discovered, sentences: ['ext1 waits for nothing.'], reason: 'it does not' },
    {
      object: anExtensionConfig(),
      sentences: [
        'ext1 waits for its first discovery.',
        'What to do: see whether the functions run, and whether CAPI_FEATURE_GATES holds RuntimeSDK=true',
      ],
      reason: 'it was not called yet',
    },
    {
      object: down,
      sentences: [
        'ext1 waits for Discovered.',
        'Condition Discovered is False (NotDiscovered): Error in discovery: no answer.',
        'What to do: see whether https://ext1.example:8443 answers, and whether its certificate is by an authority of the caBundle',
        again,
      ],
      reason: 'its server does not answer',
    },
    {
      object: down.withService({ name: 's', namespace: 'n' }),
      sentences: [
        'ext1 waits for Discovered.',
        'Condition Discovered is False (NotDiscovered): Error in discovery: no answer.',
        'What to do: see whether Service n/s answers, and whether its certificate is by an authority of the caBundle',
        again,
      ],
      reason: 'its Service does not answer',
    },
    {
      object: withoutSecret,
      sentences: [
        'ext1 waits for Discovered.',
        'Condition Discovered is False (NotDiscovered): failed to reconcile caBundle: secret ns/s does not contain a "ca.crt" entry.',
        'What to do: fix the Secret that the annotation names: it must exist and contain the certificate authority in ca.crt',
        again,
      ],
      reason: 'its Secret lacks something',
    },
    {
      object: paused,
      sentences: [
        'ext1 waits for its pause to end.',
        'Condition Paused is True (Paused): ExtensionConfig has the cluster.x-k8s.io/paused annotation.',
        'What to do: take the annotation away: kubectl annotate extensionconfig ext1 cluster.x-k8s.io/paused-',
      ],
      reason: 'it is paused',
    },
  ])('$reason', ({ object, sentences }) => {
    expect(toSentences('ext1', explainExtension(object.build()))).toEqual(sentences);
  });
});
