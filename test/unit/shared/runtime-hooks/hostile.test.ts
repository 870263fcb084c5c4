// Random responses of an extension for every hook. They cause no crash, have limited results, and the error names the
// cause.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hooksOf } from '../../../../shared/runtime-hooks/calls.ts';
import { createHooks } from '../../../../shared/runtime-hooks/client/hooks-client.ts';
import * as hooks from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { Hook, HookResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import {
  anIdentity,
  type FakeExtensionServer,
  type ServerAnswer,
  startExtensionServer,
} from '../../../support/extension-server.ts';
import { generated } from '../../../support/extent.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { anything, nearlyRight } from '../../../support/hostile-answers.ts';
import { testStart } from '../../../support/object-builder.ts';
import { fc } from '../../../support/property.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import { aDiscovered, subject } from './hook-calling-pass.ts';

const answers = generated(1000);

/** The requests are arbitrary, because the code of this project creates them. */
const called: readonly Pick<Hook<never, HookResponse>, 'name' | 'blocking' | 'response'>[] = [
  hooks.discoverVariables,
  hooks.generatePatches,
  hooks.validateTopology,
  hooks.generateUpgradePlan,
  hooks.beforeClusterCreate,
  hooks.afterControlPlaneInitialized,
  hooks.afterClusterUpgrade,
  hooks.canUpdateMachine,
  hooks.canUpdateMachineSet,
  hooks.updateMachine,
];

const json = fc.oneof(anything, nearlyRight, nearlyRight).map(value => JSON.stringify(value));

const broken = fc.tuple(json, fc.nat(), fc.string({ unit: 'binary', maxLength: 5 })).map(([text, at, noise]) => {
  const cut = at % (text.length + 1);
  return text.slice(0, cut) + noise + text.slice(cut + 1);
});

const deep = fc
  .tuple(fc.constantFrom('[', '{"a":', '[[1],'), fc.integer({ min: 1, max: 20_000 }))
  .map(([part, times]) => part.repeat(times));

const answer: fc.Arbitrary<ServerAnswer> = fc.oneof(
  { weight: 10, arbitrary: json.map(raw => ({ raw })) },
  { weight: 4, arbitrary: broken.map(raw => ({ raw })) },
  { weight: 2, arbitrary: deep.map(raw => ({ raw })) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => ({ raw: Buffer.from(bytes) })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.uint8Array({ maxLength: 100 }), fc.constantFrom('gzip', 'br', 'deflate', 'x'))
      .map(([bytes, encoding]) => ({ raw: Buffer.from(bytes), encoding })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(201, 202, 301, 302, 400, 404, 500, 503, 599),
        fc.string({ unit: 'binary', maxLength: 5000 }),
      )
      .map(([status, text]) => ({ status, text })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ServerAnswer>({ halfClosed: true }, { unreachable: '' }, { bombBytes: 22_000_000 }),
  },
);

/** Each of these texts names a cause that an operator can search for. */
const namesTheProblem =
  /^failed to call extension handler "x\.ext1": (http call failed: (got response with status code \d+ != 200: response : "|failed to decode response: .+|Post "https:\/\/.+": .+)|got failure response with message: |got unknown response status "|got invalid response: )/s;

describe('hostile extensions', () => {
  let server: FakeExtensionServer;
  beforeAll(async () => {
    server = await startExtensionServer(await anIdentity());
  });
  afterAll(() => server.close());

  it(`do no harm with ${answers} generated answers`, async () => {
    const clock = new SteppedClock();
    const settings = { services: 'refuse', addresses: 'any', certificate: { kind: 'none' } } as const;
    const client = createHooks({ clock, metrics: createMetricsRegistry(), settings });
    const { signal } = new AbortController();
    const outcomes = { ok: 0, failed: 0 };

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...called), answer, async (hook, served) => {
        server.answer(`${hook.name.toLowerCase()}/x`, served);
        const config = aDiscovered([{ name: 'x', hook: hook.name }])
          .withUrl(server.url)
          .withCaBundle(server.ca);
        const calls = hooksOf({ ...fakeReads([config]), hooks: client }, { number: 1, now: testStart, signal });
        const plain = { ...hook, encode: () => ({}) };
        const reported = await calls.callNamed(plain, 'x.ext1', { object: subject, request: {} });
        outcomes[reported.ok ? 'ok' : 'failed'] += 1;
        if (reported.ok) {
          expect(reported.value.status).toBe('Success');
          expect(reported.value.message.length).toBeLessThanOrEqual(2 * 2048);
          expect('retryAfterSeconds' in reported.value ? reported.value.retryAfterSeconds : 0).toBeGreaterThanOrEqual(
            0,
          );
        } else {
          expect(reported.error).toMatch(namesTheProblem);
          // Twice 2048 characters: the maximum number of escapes in one text.
          expect(reported.error.length).toBeLessThan(15_000);
        }
        expect(clock.sleepers).toBe(0);
      }),
      { numRuns: answers },
    );

    expect(outcomes.ok).toBeGreaterThan(answers / 20);
    expect(outcomes.failed).toBeGreaterThan(answers / 4);
    expect(Object.prototype).not.toHaveProperty('status');
  });
});
