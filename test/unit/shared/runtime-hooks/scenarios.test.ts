// Scenarios of hook calls: the called handlers for an object, their order, and the meaning of their answers.
import { describe, expect, it } from 'vitest';
import { callBlocking } from '../../../../shared/runtime-hooks/blocking-call.ts';
import { readBlocks, storeBlocks, toBlockingMessage } from '../../../../shared/runtime-hooks/rules/blocks.ts';
import {
  beforeClusterCreate,
  beforeClusterDelete,
  discoverVariables,
} from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { markOkToDelete, okToDeleteAnnotation } from '../../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { aCluster } from '../../../support/builders.ts';
import { type FakeAnswer, fakeHooks } from '../../../support/fake-hooks.ts';
import { testStart } from '../../../support/object-builder.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import {
  aDiscovered,
  aNamespace,
  aWorld,
  errorOf,
  extensionUrl,
  type HandlerParts,
  subject,
} from './hook-calling-pass.ts';

const discover: HandlerParts = { name: 'discover', hook: 'DiscoverVariables' };
const call = { object: subject, request: {} };
const cluster = aCluster().build();
const ofCluster = { object: subject, request: { cluster } };
const success: FakeAnswer = { body: { status: 'Success' } };

function creating(name: string, more: Partial<HandlerParts> = {}): HandlerParts {
  return { name, hook: 'BeforeClusterCreate', ...more };
}

function said(retryAfterSeconds: number, message = ''): FakeAnswer {
  return { body: { status: 'Success', message, retryAfterSeconds } };
}

describe('one call', () => {
  it('settings of the request take precedence key by key, and the input object is unchanged', async () => {
    const world = aWorld([aDiscovered([discover]).withSpec({ settings: { k1: 'ec', k2: 'ec' } })]);
    world.hooks.answer(extensionUrl, 'discovervariables/discover', success);
    const settings = { k1: 'req' };

    await world.calls.callNamed(discoverVariables, 'discover.ext1', { ...call, settings });

    expect(world.hooks.calls[0]?.body).toEqual({
      apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
      kind: 'DiscoverVariablesRequest',
      settings: { k1: 'req', k2: 'ec' },
    });
    expect(settings).toEqual({ k1: 'req' });
  });

  it.each([
    { answer: { status: 500, text: 'boom' }, reported: 'got response with status code 500 != 200: response : "boom"' },
    { answer: { status: 201, text: '{"status":"Success"}' }, reported: 'got response with status code 201 != 200' },
    { answer: { status: 302 }, reported: 'got response with status code 302 != 200: response : ""' },
  ])('$reported is an error by policy Fail, and nothing at all by policy Ignore', async ({ answer, reported }) => {
    const outcomes = await Promise.all(
      ['Fail', 'Ignore'].map(async failurePolicy => {
        const world = aWorld([aDiscovered([creating('x', { failurePolicy })], 'e')]);
        world.hooks.answer(extensionUrl, 'beforeclustercreate/x', answer);
        return world.calls.callNamed(beforeClusterCreate, 'x.e', { ...ofCluster, cache: true });
      }),
    );
    expect(errorOf(outcomes[0] ?? { ok: true })).toContain(
      `failed to call extension handler "x.e": http call failed: ${reported}`,
    );
    expect(outcomes[1]).toEqual({ ok: true, value: { status: 'Success', message: '', retryAfterSeconds: 0 } });
  });

  it('an ignored failure is not cached', async () => {
    const world = aWorld([aDiscovered([{ ...discover, failurePolicy: 'Ignore' }])]);
    world.hooks.answer(extensionUrl, 'discovervariables/discover', { status: 500 });
    await world.calls.callNamed(discoverVariables, 'discover.ext1', { ...call, cache: true });
    await world.again().callNamed(discoverVariables, 'discover.ext1', { ...call, cache: true });
    expect(world.hooks.calls).toHaveLength(2);
    expect(world.log.lines).toMatchObject([
      { message: 'Ignoring the failure of an extension', handler: 'discover.ext1' },
      { message: 'Ignoring the failure of an extension' },
    ]);
  });

  it.each(['Fail', 'Ignore'])('a Failure is an error by policy %s', async failurePolicy => {
    const world = aWorld([aDiscovered([creating('x', { failurePolicy })])]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', { body: { status: 'Failure', message: 'nope' } });
    const answer = await world.calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster);
    expect(errorOf(answer)).toBe('failed to call extension handler "x.ext1": got failure response with message: nope');
  });

  it.each(['Fail', 'Ignore'])('no status is an error by policy %s', async failurePolicy => {
    const world = aWorld([aDiscovered([creating('x', { failurePolicy })])]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', { body: {} });
    const answer = await world.calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster);
    expect(errorOf(answer)).toBe(
      'failed to call extension handler "x.ext1": got unknown response status "" with message: ',
    );
  });

  it('an invalid caBundle is an error for any policy; an untrusted server may be ignored', async () => {
    const config = aDiscovered([creating('x', { failurePolicy: 'Ignore' })]);
    const broken = await aWorld([config.withCaBundle('none')]).calls.callNamed(
      beforeClusterCreate,
      'x.ext1',
      ofCluster,
    );
    expect(errorOf(broken)).toBe(
      'failed to call extension handler "x.ext1": failed to get http client: spec.clientConfig.caBundle holds no certificate in PEM',
    );
    const world = aWorld([config]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', { unreachable: 'self-signed certificate' });
    expect(await world.calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster)).toMatchObject({ ok: true });
  });

  it('a late response is a timeout', async () => {
    const clock = new SteppedClock();
    const world = aWorld([aDiscovered([creating('x', { timeoutSeconds: 1 })])], { hooks: fakeHooks({ clock }) });
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', { silent: true });
    const answer = world.calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster);
    await world.hooks.underWay();
    await clock.advance(1000);
    expect(errorOf(await answer)).toMatch(
      /^failed to call .*: http call failed: Post ".*timeout=1s": http request timeout expired$/,
    );
  });

  it('handlers in the status are called although the last discovery failed', async () => {
    const failed = aDiscovered([creating('x')]).withCondition('Discovered', { status: 'False' });
    const world = aWorld([failed]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', said(30, 'wait'));
    expect(await world.calls.callAll(beforeClusterCreate, ofCluster)).toMatchObject({
      ok: true,
      value: { retryAfterSeconds: 30, message: 'wait' },
    });
  });
});

describe('the namespace selector', () => {
  const blue = aDiscovered([creating('x')], 'blue').withSpec({ namespaceSelector: { matchLabels: { team: 'blue' } } });
  const all = aDiscovered([creating('y')], 'any');
  const red = aNamespace('ns', { team: 'red' });

  it('prevents a named call, and skips the handler in a call of all handlers', async () => {
    const world = aWorld([blue, all, red]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/y', said(0, 'only me'));
    expect(errorOf(await world.calls.callNamed(beforeClusterCreate, 'x.blue', ofCluster))).toBe(
      'failed to call extension handler "x.blue": namespaceSelector did not match object ns/c1',
    );
    expect(await world.calls.callAll(beforeClusterCreate, ofCluster)).toMatchObject({
      ok: true,
      value: { message: 'only me' },
    });
    expect(await world.calls.registered(beforeClusterCreate, subject)).toEqual({ ok: true, value: ['y.any'] });
  });

  it('never matches if it is absent, and always if it is empty, without reading the Namespace', async () => {
    const { spec, ...absent } = aDiscovered([creating('x')], 'absent').build();
    const { namespaceSelector: _, ...rest } = spec as { readonly namespaceSelector: object }; // true: the builder creates it in this form
    const world = aWorld([{ ...absent, spec: rest }, all]);
    expect(await world.calls.registered(beforeClusterCreate, subject)).toEqual({ ok: true, value: ['y.any'] });
    expect(world.reads.trips.flat()).toEqual(['list ExtensionConfig ']);
  });
});

describe('all handlers of a hook', () => {
  const three = aDiscovered([creating('h3'), creating('h1'), creating('h2')]);

  it('are called in the order of their names, and their responses are aggregated', async () => {
    const world = aWorld([three]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/h1', said(0, 'm1'));
    world.hooks.answer(extensionUrl, 'beforeclustercreate/h2', said(5));
    world.hooks.answer(extensionUrl, 'beforeclustercreate/h3', said(3, 'm3'));
    expect(await world.calls.callAll(beforeClusterCreate, ofCluster)).toEqual({
      ok: true,
      value: { status: 'Success', message: 'm1, m3', retryAfterSeconds: 3 },
    });
    expect(world.hooks.calls.map(({ url }) => /h\d/.exec(url)?.[0])).toEqual(['h1', 'h2', 'h3']);
  });

  it('are not called after the first one that fails', async () => {
    const world = aWorld([three]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/h1', said(5, 'wait'));
    world.hooks.answer(extensionUrl, 'beforeclustercreate/h2', { body: { status: 'Failure', message: 'no' } });
    expect(errorOf(await world.calls.callAll(beforeClusterCreate, ofCluster))).toBe(
      'failed to call extension handlers for hook "BeforeClusterCreate.hooks.runtime.cluster.x-k8s.io": failed to call extension handler "h2.ext1": got failure response with message: no',
    );
    expect(world.hooks.calls).toHaveLength(2);
  });
});

describe('hooks that block', () => {
  const asking = { ...ofCluster, blocks: readBlocks({}), now: testStart };

  it('a hook without handlers succeeds without a call, and the Cluster may be deleted', async () => {
    const world = aWorld([aDiscovered([creating('x')])]);
    const answer = await callBlocking(world.calls, beforeClusterDelete, asking);
    expect(answer).toEqual({
      ok: true,
      value: {
        isDefined: false,
        waitMs: 0,
        response: { status: 'Success', message: '', retryAfterSeconds: 0 },
        blocks: new Map(),
      },
    });
    expect(world.hooks.calls).toEqual([]);
    expect(markOkToDelete({})).toEqual({ [okToDeleteAnnotation]: '' });
  });

  it('are not called again before retryAfterSeconds, and their message stays', async () => {
    const world = aWorld([aDiscovered([creating('x')])]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', said(30, 'wait'));
    const first = await callBlocking(world.calls, beforeClusterCreate, asking);
    expect(first).toMatchObject({ ok: true, value: { isDefined: true, waitMs: 30_000 } });
    const stored = storeBlocks({}, first.ok ? first.value.blocks : new Map());

    const annotations = Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, String(value)]));
    const later = { ...asking, blocks: readBlocks(annotations), now: testStart + 10_000 };
    const second = await callBlocking(world.again(), beforeClusterCreate, later);

    expect(world.hooks.calls).toHaveLength(1);
    expect(second).toMatchObject({
      ok: true,
      value: {
        isDefined: true,
        waitMs: 20_000,
        response: { status: 'Success', message: 'wait', retryAfterSeconds: 20 },
      },
    });
    const responses = new Map(second.ok ? [['BeforeClusterCreate', second.value.response]] : []);
    expect(toBlockingMessage('Cluster topology creation', responses)).toBe(
      'Following hooks are blocking Cluster topology creation: BeforeClusterCreate: wait',
    );
  });

  it('block for one second if less remains', async () => {
    const world = aWorld([aDiscovered([creating('x')])]);
    const until = new Date(testStart + 200).toISOString();
    const blocks = readBlocks({
      'capi-serverless.dev/blocking-hooks': JSON.stringify({ BeforeClusterCreate: { until, message: 'wait' } }),
    });
    const answer = await callBlocking(world.calls, beforeClusterCreate, { ...asking, blocks });
    expect(answer).toMatchObject({ ok: true, value: { waitMs: 200, response: { retryAfterSeconds: 1 } } });
  });

  it('are called when the time is over, and removed from the record when they no longer block', async () => {
    const world = aWorld([aDiscovered([creating('x')])]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', success);
    const blocks = new Map([['BeforeClusterCreate', { until: testStart, message: 'wait' }]]);
    const answer = await callBlocking(world.calls, beforeClusterCreate, { ...asking, blocks });
    expect(answer).toMatchObject({ ok: true, value: { waitMs: 0, isDefined: true } });
    expect(answer.ok && answer.value.blocks.size).toBe(0);
  });

  it('are removed from the record if no handler serves them', async () => {
    const blocks = new Map([['BeforeClusterCreate', { until: testStart + 60_000, message: 'wait' }]]);
    const answer = await callBlocking(aWorld([]).calls, beforeClusterCreate, { ...asking, blocks });
    expect(answer.ok && [answer.value.isDefined, answer.value.blocks.size]).toEqual([false, 0]);
  });

  it('return their failures', async () => {
    const unread = aWorld([], { faults: [{ at: 'list ExtensionConfig ', message: 'forbidden' }] });
    expect(await callBlocking(unread.calls, beforeClusterCreate, asking)).toMatchObject({ ok: false, why: 'configs' });
    const down = aWorld([aDiscovered([creating('x')])]);
    expect(await callBlocking(down.calls, beforeClusterCreate, asking)).toMatchObject({ ok: false, why: 'exchange' });
  });
});

describe('the response cache of a process', () => {
  const world = () => {
    const clock = new SteppedClock();
    const config = aDiscovered([discover]).withUid('u1').atGeneration(1);
    const made = { ...aWorld([config], { hooks: fakeHooks({ clock }) }), clock, config };
    made.hooks.answer(extensionUrl, 'discovervariables/discover', success);
    return made;
  };
  const cached = { ...call, cache: true };

  it('is not used after the ExtensionConfig changed', async () => {
    const { calls, again, hooks, config } = world();
    await calls.callNamed(discoverVariables, 'discover.ext1', cached);
    await again([config.withStatus({ other: 1 })]).callNamed(discoverVariables, 'discover.ext1', cached);
    expect(hooks.calls).toHaveLength(1);
    await again([config.atGeneration(2)]).callNamed(discoverVariables, 'discover.ext1', cached);
    expect(hooks.calls).toHaveLength(2);
    await again([config.withUid('u2')]).callNamed(discoverVariables, 'discover.ext1', cached);
    expect(hooks.calls).toHaveLength(3);
  });

  it('is used for ten minutes, by callers that allow it', async () => {
    const { calls, again, hooks, clock } = world();
    await calls.callNamed(discoverVariables, 'discover.ext1', cached);
    await again().callNamed(discoverVariables, 'discover.ext1', call);
    expect(hooks.calls).toHaveLength(2);
    await clock.advance(599_999);
    await again().callNamed(discoverVariables, 'discover.ext1', cached);
    expect(hooks.calls).toHaveLength(2);
    await clock.advance(1);
    await again().callNamed(discoverVariables, 'discover.ext1', cached);
    expect(hooks.calls).toHaveLength(3);
  });

  it('matches equal settings in any order', async () => {
    const { calls, again, hooks } = world();
    await calls.callNamed(discoverVariables, 'discover.ext1', { ...cached, settings: { a: '1', b: '2' } });
    await again().callNamed(discoverVariables, 'discover.ext1', { ...cached, settings: { b: '2', a: '1' } });
    expect(hooks.calls).toHaveLength(1);
    await again().callNamed(discoverVariables, 'discover.ext1', { ...cached, settings: { a: '1,b=2' } });
    expect(hooks.calls).toHaveLength(2);
  });

  it('never holds a failure', async () => {
    const { calls, again, hooks } = world();
    hooks.answer(extensionUrl, 'discovervariables/discover', { body: { status: 'Failure' } });
    await calls.callNamed(discoverVariables, 'discover.ext1', cached);
    hooks.answer(extensionUrl, 'discovervariables/discover', { body: { status: 'Success', variables: 5 } });
    await again().callNamed(discoverVariables, 'discover.ext1', cached);
    hooks.answer(extensionUrl, 'discovervariables/discover', success);
    expect(await again().callNamed(discoverVariables, 'discover.ext1', cached)).toMatchObject({ ok: true });
  });
});
