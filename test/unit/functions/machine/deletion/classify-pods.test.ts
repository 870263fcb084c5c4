import { invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  classifyPods,
  type DrainContext,
  daemonSetsOf,
} from '../../../../../functions/machine/phases/deletion/classify-pods.ts';
import { aPod, aRule, labelled, now } from './drained-pods.ts';

const context: DrainContext = {
  isUnreachable: false,
  now,
  rules: [],
  daemonSets: new Map([
    ['app/here', valid(true)],
    ['app/gone', valid(false)],
    ['app/failed', invalid('failed to get DaemonSet app/failed: boom')],
  ]),
  namespaces: undefined,
  waitsForFinishedPods: false,
};

type Given = Parameters<typeof aPod>[1];

function treatmentOf(given: Given, change: Partial<DrainContext> = {}): unknown {
  const classified = classifyPods([aPod('p', given)], { ...context, ...change });
  return classified.ok
    ? classified.value.map(({ behavior, order }) => `${behavior} ${order}`).join()
    : classified.error.replace('failed to get Pods for eviction: ', '');
}

const drainLabel = 'cluster.x-k8s.io/drain';

describe('a Pod of the Node', () => {
  it.each<{ reason: string; given: Given; becomes: string }>([
    { reason: 'of nothing in particular', given: {}, becomes: 'Drain 0' },
    { reason: 'of a DaemonSet', given: { daemonSet: 'here' }, becomes: 'Skip 0' },
    { reason: 'of a DaemonSet that is gone', given: { daemonSet: 'gone' }, becomes: 'Drain 0' },
    { reason: 'of a DaemonSet, Failed', given: { daemonSet: 'here', phase: 'Failed' }, becomes: 'Drain 0' },
    { reason: 'of a DaemonSet, Succeeded', given: { daemonSet: 'here', phase: 'Succeeded' }, becomes: 'Drain 0' },
    { reason: 'finished', given: { phase: 'Succeeded' }, becomes: 'Drain 0' },
    { reason: 'a mirror Pod', given: { annotations: { 'kubernetes.io/config.mirror': '' } }, becomes: 'Skip 0' },
    { reason: 'labelled skip', given: { labels: { [drainLabel]: 'Skip' } }, becomes: 'Skip 0' },
    { reason: 'labelled s-kip', given: { labels: { [drainLabel]: 's-kip' } }, becomes: 'Drain 0' },
    {
      reason: 'labelled waitCompleted',
      given: { labels: { [drainLabel]: 'waitCompleted' } },
      becomes: 'WaitCompleted 0',
    },
    {
      reason: 'labelled wait-completed',
      given: { labels: { [drainLabel]: 'Wait-Completed' } },
      becomes: 'WaitCompleted 0',
    },
    { reason: 'labelled with two hyphens', given: { labels: { [drainLabel]: 'wait--completed' } }, becomes: 'Drain 0' },
    { reason: 'labelled otherwise', given: { labels: { [drainLabel]: 'true' } }, becomes: 'Drain 0' },
    { reason: 'being deleted', given: { deletedAgoMs: 60_000 }, becomes: 'Drain 0' },
  ])('$reason: $becomes', ({ given, becomes }) => {
    expect(treatmentOf(given)).toBe(becomes);
  });

  it.each([
    { deletedAgoMs: 1_999, becomes: 'Drain 0' },
    { deletedAgoMs: 2_000, becomes: 'Skip 0' },
  ])('of an unreachable Node is ignored two seconds after its deletion: $deletedAgoMs', ({ deletedAgoMs, becomes }) => {
    expect(treatmentOf({ deletedAgoMs }, { isUnreachable: true })).toBe(becomes);
    expect(treatmentOf({}, { isUnreachable: true })).toBe('Drain 0');
  });

  it.each([
    { phase: 'Succeeded', waits: false, becomes: 'WaitCompleted 0' },
    { phase: 'Failed', waits: false, becomes: 'WaitCompleted 0' },
    { phase: 'Running', waits: false, becomes: 'WaitCompleted 0' },
    { phase: 'Succeeded', waits: true, becomes: 'WaitCompleted 0' },
  ])('that is waited for, $phase, as upstream: $waits', ({ phase, waits, becomes }) => {
    const labels = { [drainLabel]: 'WaitCompleted' };
    expect(treatmentOf({ phase, labels }, { waitsForFinishedPods: waits })).toBe(becomes);
  });

  it('of a DaemonSet that could not be read is not evicted', () => {
    expect(treatmentOf({ daemonSet: 'failed' })).toBe(
      'Pods with error "failed to get DaemonSet app/failed: boom": app/p',
    );
    expect(treatmentOf({ daemonSet: 'unread' })).toBe('Pods with error "DaemonSet app/unread was not read": app/p');
  });
});

describe('MachineDrainRules', () => {
  const pods = [labelled('x')];
  const labels = { app: 'x' };

  it.each([
    { drain: { behavior: 'Drain' }, becomes: 'Drain 0' },
    { drain: { behavior: 'Drain', order: -5 }, becomes: 'Drain -5' },
    { drain: { behavior: 'Skip', order: 3 }, becomes: 'Skip 0' },
    { drain: { behavior: 'WaitCompleted', order: 3 }, becomes: 'WaitCompleted 0' },
    {
      drain: { behavior: 'Foo' },
      becomes: String.raw`Pods with error "MachineDrainRule \"r\" has unknown spec.drain.behavior: \"Foo\"": app/p`,
    },
  ])('decide: $becomes', ({ drain, becomes }) => {
    expect(treatmentOf({ labels }, { rules: [aRule('r', { drain, pods })] })).toBe(becomes);
  });

  it('count after labels, and the first one that applies counts', () => {
    const rules = [
      aRule('a', { drain: { behavior: 'Skip' }, pods: [labelled('other')] }),
      aRule('b', { drain: { behavior: 'Drain', order: 5 } }),
      aRule('c', { drain: { behavior: 'Skip' } }),
    ];
    expect(treatmentOf({}, { rules })).toBe('Drain 5');
    expect(treatmentOf({ labels: { [drainLabel]: 'skip' } }, { rules })).toBe('Skip 0');
  });

  it('read the labels of the Namespace', () => {
    const namespaceSelector = { matchLabels: { stage: 'test' } };
    const rules = [aRule('a', { drain: { behavior: 'Skip' }, pods: [{ namespaceSelector }] })];
    expect(treatmentOf({}, { rules, namespaces: new Map([['app', { stage: 'test' }]]) })).toBe('Skip 0');
    expect(treatmentOf({}, { rules, namespaces: new Map([['app', {}]]) })).toBe('Drain 0');
    expect(treatmentOf({}, { rules, namespaces: new Map() })).toBe(
      'Pods with error "Pod Namespace does not exist": app/p',
    );
  });
});

describe('the cause', () => {
  const rules = [aRule('r', { drain: { behavior: 'Drain', order: 1 }, pods: [labelled('x')] })];

  it.each<{ given: Given; change?: Partial<DrainContext>; cause: unknown }>([
    { given: {}, cause: { by: 'default' } },
    { given: { labels: { app: 'x' } }, cause: { by: 'rule', name: 'r' } },
    { given: { daemonSet: 'here' }, cause: { by: 'daemonSet', name: 'app/here' } },
    { given: { daemonSet: 'gone' }, cause: { by: 'default' } },
    { given: { annotations: { 'kubernetes.io/config.mirror': '' } }, cause: { by: 'mirror' } },
    { given: { labels: { [drainLabel]: 'skip' } }, cause: { by: 'label' } },
    { given: { labels: { [drainLabel]: 'wait-completed' } }, cause: { by: 'label' } },
    { given: { labels: { [drainLabel]: 'wait-completed' }, phase: 'Failed' }, cause: { by: 'finished' } },
    { given: { deletedAgoMs: 60_000 }, change: { isUnreachable: true }, cause: { by: 'unreachable' } },
    {
      given: {},
      change: { rules: [aRule('s', { drain: { behavior: 'Skip' } })] },
      cause: { by: 'rule', name: 's' },
    },
    {
      given: {},
      change: { rules: [aRule('w', { drain: { behavior: 'WaitCompleted' } })] },
      cause: { by: 'rule', name: 'w' },
    },
  ])('of $given is $cause', ({ given, change, cause }) => {
    const classified = classifyPods([aPod('p', given)], { ...context, rules, ...change });
    expect(classified).toMatchObject({ ok: true, value: [{ cause }] });
  });
});

describe('all Pods', () => {
  it('are sorted by namespace and name', () => {
    const pods = [aPod('b'), aPod('a'), aPod('c', { namespace: 'aaa' })];
    const classified = classifyPods(pods, context);
    expect(classified.ok && classified.value.map(({ pod }) => pod.metadata.name)).toEqual(['c', 'a', 'b']);
  });

  it('report each error once, with its Pods', () => {
    const pods = [aPod('p3', { daemonSet: 'failed' }), aPod('p2', { namespace: 'x' }), aPod('p1')];
    const rules = [
      aRule('a', { drain: { behavior: 'Skip' }, pods: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] }),
    ];
    expect(classifyPods(pods, { ...context, rules, namespaces: new Map() })).toEqual({
      ok: false,
      error:
        'failed to get Pods for eviction: [Pods with error "Pod Namespace does not exist": app/p1, x/p2, ' +
        'Pods with error "failed to get DaemonSet app/failed: boom": app/p3]',
    });
  });

  it.each([
    { errors: 5, end: 'boom 5": app/p5]' },
    { errors: 6, end: 'boom 5": app/p5, Pods with 1 other error]' },
    { errors: 8, end: 'boom 5": app/p5, Pods with 3 other errors]' },
  ])('report at most five different errors: $errors', ({ errors, end }) => {
    const numbers = Array.from({ length: errors }, (_, at) => at + 1);
    const daemonSets = new Map(numbers.map(at => [`app/d${at}`, invalid(`boom ${at}`)]));
    const classified = classifyPods(
      numbers.map(at => aPod(`p${at}`, { daemonSet: `d${at}` })),
      { ...context, daemonSets },
    );
    expect(classified.ok ? '' : classified.error.endsWith(end)).toBe(true);
  });

  it('name the DaemonSets to read once, without those of finished Pods', () => {
    const other = aPod('p4');
    const pods = [
      aPod('p1', { daemonSet: 'b' }),
      aPod('p2', { daemonSet: 'b' }),
      aPod('p3', { daemonSet: 'c', phase: 'Failed' }),
      {
        ...other,
        metadata: { ...other.metadata, ownerReferences: [{ kind: 'ReplicaSet', name: 'r', controller: true }] },
      },
      aPod('p5', { daemonSet: 'a' }),
    ];
    expect(daemonSetsOf(pods)).toEqual(['app/a', 'app/b']);
  });
});
