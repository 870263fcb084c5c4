// The conformance suite of the hooks port, for the fake of the tests and for the client with a server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExchangeLimits, HookExchange, Hooks } from '../../../shared/runtime-hooks/port.ts';
import type { FakeAnswer } from '../../support/fake-hooks.ts';
import type { SteppedClock } from '../../support/stepped-clock.ts';

interface HooksWorld {
  readonly hooks: Hooks;
  readonly clock: SteppedClock;
  readonly url: string;
  readonly caBundle: string;
  answer(path: string, answer: FakeAnswer): void;
  /** Resolves when the next call has arrived and the extension has not answered yet. */
  underWay(): Promise<void>;
  close(): Promise<void>;
}

const path = 'beforeclustercreate/first';

export function hooksSuite(start: () => Promise<HooksWorld>): void {
  describe('the hooks port', () => {
    let world: HooksWorld;
    beforeAll(async () => {
      world = await start();
    });
    afterAll(() => world.close());

    function exchange(change: Partial<HookExchange> = {}): HookExchange {
      return {
        hook: 'BeforeClusterCreate',
        version: 'v1alpha1',
        url: `${world.url}/hooks.runtime.cluster.x-k8s.io/v1alpha1/${path}?timeout=10s`,
        caBundle: world.caBundle,
        body: { kind: 'BeforeClusterCreateRequest', settings: {} },
        timeoutSeconds: 10,
        ...change,
      };
    }

    function limits(change: Partial<ExchangeLimits> = {}): ExchangeLimits {
      return { signal: new AbortController().signal, ...change };
    }

    it('returns the body of a response with status code 200, regardless of its status field', async () => {
      const body = { status: 'Failure', message: 'no', extra: [1, { deep: null }] };
      world.answer(path, { body });
      expect(await world.hooks.exchange(exchange(), limits())).toEqual({ ok: true, body });
    });

    it('does not validate the body', async () => {
      world.answer(path, { body: [] });
      expect(await world.hooks.exchange(exchange(), limits())).toEqual({ ok: true, body: [] });
    });

    it.each([201, 204, 404, 500])('treats the status code %d as a failure', async status => {
      world.answer(path, { status, text: '' });
      expect(await world.hooks.exchange(exchange(), limits())).toEqual({
        ok: false,
        why: 'exchange',
        error: `http call failed: got response with status code ${status} != 200: response : ""`,
      });
    });

    it('quotes the body of a response with another status code', async () => {
      world.answer(path, { status: 500, text: 'boom "x"' });
      expect(await world.hooks.exchange(exchange(), limits())).toMatchObject({
        error: 'http call failed: got response with status code 500 != 200: response : "boom \\"x\\""',
      });
    });

    it('names the URL when no connection can be established', async () => {
      world.answer(path, { unreachable: 'connection refused' });
      const { url } = exchange();
      const exchanged = await world.hooks.exchange(exchange(), limits());
      expect(exchanged).toMatchObject({ ok: false, why: 'exchange' });
      expect(exchanged.ok ? '' : exchanged.error).toContain(`http call failed: Post "${url}": `);
    });

    it('fails when the timeout passes', async () => {
      world.answer(path, { silent: true });
      const { url } = exchange();
      const exchanged = world.hooks.exchange(exchange({ timeoutSeconds: 1 }), limits());
      await world.underWay();
      await world.clock.advance(1000);
      expect(await exchanged).toEqual({
        ok: false,
        why: 'exchange',
        error: `http call failed: Post "${url}": http request timeout expired`,
      });
    });

    it('does not start a call that may outlast the invocation', async () => {
      world.answer(path, { body: { status: 'Success' } });
      const deadline = world.clock.now() + 9_999;
      expect(await world.hooks.exchange(exchange(), limits({ deadline }))).toEqual({
        ok: false,
        why: 'time',
        error: 'not called: it may take 10 s, and 9 s of this invocation are left; the next one calls it',
      });
    });

    it('starts a call that just fits into the invocation', async () => {
      world.answer(path, { body: { status: 'Success' } });
      const deadline = world.clock.now() + 10_000;
      expect(await world.hooks.exchange(exchange(), limits({ deadline }))).toMatchObject({ ok: true });
    });

    it('does not report an extension failure when the invocation ends first', async () => {
      world.answer(path, { silent: true });
      const ending = new AbortController();
      const exchanged = world.hooks.exchange(exchange(), limits({ signal: ending.signal }));
      await world.underWay();
      ending.abort();
      expect(await exchanged).toMatchObject({ ok: false, why: 'time' });
    });

    it('does not start a call after the end of the invocation', async () => {
      expect(await world.hooks.exchange(exchange(), limits({ signal: AbortSignal.abort() }))).toMatchObject({
        ok: false,
        why: 'time',
      });
    });

    it('caches a response for ten minutes', async () => {
      const response = { status: 'Success', message: 'm' };
      world.hooks.memory.set('k', response);
      await world.clock.advance(599_999);
      expect(world.hooks.memory.get('k')).toEqual(response);
      await world.clock.advance(1);
      expect(world.hooks.memory.get('k')).toBeUndefined();
    });
  });
}
