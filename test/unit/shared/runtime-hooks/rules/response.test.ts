import { describe, expect, it } from 'vitest';
import { aggregateResponses } from '../../../../../shared/runtime-hooks/rules/aggregate.ts';
import {
  beforeClusterCreate,
  canUpdateMachine,
  canUpdateMachineSet,
  discoverVariables,
  discovery,
  generatePatches,
  generateUpgradePlan,
  validateTopology,
} from '../../../../../shared/runtime-hooks/rules/catalog.ts';
import type { HookResponse } from '../../../../../shared/runtime-hooks/rules/hook.ts';
import { checkResponse, ignoredResponse, toKept } from '../../../../../shared/runtime-hooks/rules/response.ts';

const noPatch = { patchType: '', patch: '' };
const largestInt32 = 2_147_483_647;

function verdictOn(body: unknown): string {
  const checked = checkResponse(beforeClusterCreate, body);
  return checked.ok ? JSON.stringify(checked.response) : `${checked.why}: ${checked.error}`;
}

const undecoded = 'unreadable: http call failed: failed to decode response:';

describe('validating a response', () => {
  it.each([
    {
      body: { status: 'Success' },
      is: '{"status":"Success","message":"","retryAfterSeconds":0}',
      reason: 'zero values',
    },
    {
      body: { status: 'Success', message: null, retryAfterSeconds: null, kind: 'Other', unknown: 1 },
      is: '{"status":"Success","message":"","retryAfterSeconds":0}',
      reason: 'null is absent; kind and unknown fields do not matter',
    },
    {
      body: { status: 'Success', message: 'm', retryAfterSeconds: largestInt32 },
      is: `{"status":"Success","message":"m","retryAfterSeconds":${largestInt32}}`,
      reason: 'the longest wait',
    },
    {
      body: { status: 'Failure', message: 'nope' },
      is: 'refused: got failure response with message: nope',
      reason: 'a Failure with its message',
    },
    {
      body: {},
      is: 'refused: got unknown response status "" with message: ',
      reason: 'a body without status',
    },
    {
      body: { status: 'Done', message: 'm' },
      is: 'refused: got unknown response status "Done" with message: m',
      reason: 'an unknown status',
    },
    {
      body: { status: 'Success', retryAfterSeconds: -1 },
      is: 'refused: got invalid response: retryAfterSeconds -1 must not be negative',
      reason: 'upstream treats it as blocking in one place only',
    },
    { body: { status: 5 }, is: `${undecoded} status: expected string`, reason: 'a wrong type' },
    { body: { status: 'Success', message: {} }, is: `${undecoded} message: expected string`, reason: 'a wrong type' },
    {
      body: { status: 'Success', retryAfterSeconds: 1.5 },
      is: `${undecoded} retryAfterSeconds: expected int`,
      reason: 'not an integer',
    },
    {
      body: { status: 'Success', retryAfterSeconds: '5' },
      is: `${undecoded} retryAfterSeconds: expected number`,
      reason: 'a number in quotes',
    },
    {
      body: { status: 'Success', retryAfterSeconds: largestInt32 + 1 },
      is: `${undecoded} retryAfterSeconds: expected at most ${largestInt32}`,
      reason: 'more than 32 bits',
    },
    {
      body: { status: 'Success', retryAfterSeconds: -largestInt32 - 2 },
      is: `${undecoded} retryAfterSeconds: expected at least ${-largestInt32 - 1}`,
      reason: 'below the 32-bit range',
    },
    { body: null, is: `${undecoded} expected object`, reason: 'null' },
    { body: [], is: `${undecoded} expected object`, reason: 'a list' },
    { body: 'Success', is: `${undecoded} expected object`, reason: 'a string' },
  ])('$body ($reason)', ({ body, is }) => {
    expect(verdictOn(body)).toBe(is);
  });

  it("keeps only as much of an extension's message as a condition can hold", () => {
    const long = 'x'.repeat(100_000);
    expect(verdictOn({ status: 'Failure', message: long })).toBe(
      `refused: got failure response with message: ${'x'.repeat(2047)}…`,
    );
    expect(verdictOn({ status: long }).length).toBeLessThan(2200);
    expect(verdictOn({ status: 'Success', message: long }).length).toBeLessThan(2200);
  });

  it.each([
    { words: '🌍'.repeat(2048), kept: '🌍'.repeat(2048), reason: 'as many characters as are kept, of two units each' },
    { words: `${'🌍'.repeat(2048)}!`, kept: `${'🌍'.repeat(2047)}…`, reason: 'one more' },
    { words: `!${'🌍'.repeat(3000)}`, kept: `!${'🌍'.repeat(2046)}…`, reason: 'no half of a character' },
  ])('counts characters: $reason', ({ words, kept }) => {
    expect(toKept(words)).toBe(kept);
  });

  it('reads the handlers of a discovery unchanged', () => {
    const handlers = [{ name: 'a', requestHook: { apiVersion: 'g/v', hook: 'H' }, failurePolicy: 'Foo' }, {}];
    expect(checkResponse(discovery, { status: 'Success', handlers })).toMatchObject({
      ok: true,
      response: {
        handlers: [
          { name: 'a', requestHook: { apiVersion: 'g/v', hook: 'H' }, failurePolicy: 'Foo' },
          { name: '', requestHook: { apiVersion: '', hook: '' } },
        ],
      },
    });
  });

  it('keeps variables whole', () => {
    const variables = [
      { name: 'v', metadata: { labels: {} }, schema: { openAPIV3Schema: { type: 'string', x: [1] } } },
    ];
    expect(checkResponse(discoverVariables, { status: 'Success', variables })).toMatchObject({
      ok: true,
      response: { variables },
    });
  });

  it('decodes patches', () => {
    const patch = Buffer.from('[{"op":"add","path":"/ü"}]').toString('base64');
    const items = [{ uid: 'u', patchType: 'JSONPatch', patch }, { uid: 'v' }];
    expect(checkResponse(generatePatches, { status: 'Success', items })).toMatchObject({
      ok: true,
      response: {
        items: [
          { uid: 'u', patchType: 'JSONPatch', patch: '[{"op":"add","path":"/ü"}]' },
          { uid: 'v', patchType: '', patch: '' },
        ],
      },
    });
  });

  it.each([
    {
      hook: generateUpgradePlan,
      body: { controlPlaneUpgrades: [{ version: 'v1' }, {}] },
      is: { controlPlaneUpgrades: [{ version: 'v1' }, { version: '' }], workersUpgrades: [] },
    },
    {
      hook: canUpdateMachine,
      body: { machinePatch: { patchType: 'JSONPatch', patch: btoa('[]') } },
      is: {
        machinePatch: { patchType: 'JSONPatch', patch: '[]' },
        infrastructureMachinePatch: noPatch,
        bootstrapConfigPatch: noPatch,
      },
    },
    {
      hook: canUpdateMachineSet,
      body: { bootstrapConfigTemplatePatch: { patch: btoa('{}') } },
      is: {
        machineSetPatch: noPatch,
        infrastructureMachineTemplatePatch: noPatch,
        bootstrapConfigTemplatePatch: { patchType: '', patch: '{}' },
      },
    },
    { hook: validateTopology, body: { items: 5 }, is: {} },
    { hook: discoverVariables, body: {}, is: { variables: [] } },
    {
      hook: discoverVariables,
      body: { variables: [{ schema: {} }, {}] },
      is: {
        variables: [
          { name: '', schema: { openAPIV3Schema: {} } },
          { name: '', schema: { openAPIV3Schema: {} } },
        ],
      },
    },
  ])('reads a response of $hook.name', ({ hook, body, is }) => {
    const checked = checkResponse<never, HookResponse>(hook, { status: 'Success', ...body });
    expect(checked).toEqual({ ok: true, response: { status: 'Success', message: '', ...is } });
  });

  it.each([
    { hook: generateUpgradePlan, body: { workersUpgrades: [5] }, problem: 'workersUpgrades.0: expected object' },
    { hook: canUpdateMachine, body: { machinePatch: [] }, problem: 'machinePatch: expected object' },
    {
      hook: canUpdateMachineSet,
      body: { machineSetPatch: { patch: '*' } },
      problem: 'machineSetPatch.patch: must be base64',
    },
    { hook: discovery, body: { handlers: [5] }, problem: 'handlers.0: expected object' },
    { hook: discovery, body: { handlers: [{ timeoutSeconds: 'x' }] }, problem: 'handlers.0.timeoutSeconds: ' },
    { hook: discoverVariables, body: { variables: {} }, problem: 'variables: expected array' },
    { hook: discoverVariables, body: { variables: [{ required: 'yes' }] }, problem: 'variables.0.required: ' },
    {
      hook: discoverVariables,
      body: { variables: [{ schema: { openAPIV3Schema: [] } }] },
      problem: 'variables.0.schema.openAPIV3Schema: expected object',
    },
    { hook: generatePatches, body: { items: [{ patch: '***' }] }, problem: 'items.0.patch: must be base64' },
    { hook: generatePatches, body: { items: [{ uid: 1 }] }, problem: 'items.0.uid: expected string' },
  ])('reports the invalid field of a response: $problem', ({ hook, body, problem }) => {
    const checked = checkResponse<never, HookResponse>(hook, {
      status: 'Success',
      ...body,
    });
    expect(checked).toMatchObject({ ok: false, why: 'unreadable', error: expect.stringContaining(problem) });
  });

  it('is a non-blocking success after an ignored failure', () => {
    expect(ignoredResponse(beforeClusterCreate)).toEqual({ status: 'Success', message: '', retryAfterSeconds: 0 });
    expect(ignoredResponse(generatePatches)).toEqual({ status: 'Success', message: '', items: [] });
  });
});

describe('aggregating responses', () => {
  const said = (retryAfterSeconds: number, message: string) => ({ status: 'Success', message, retryAfterSeconds });

  it.each([
    { responses: [], is: said(0, ''), reason: 'no response' },
    {
      responses: [said(0, 'm1'), said(5, ''), said(3, 'm3')],
      is: said(3, 'm1, m3'),
      reason: 'the shortest delay, and all messages in order',
    },
    { responses: [said(0, ''), said(0, 'a')], is: said(0, 'a'), reason: 'no hook blocks' },
  ])('$reason', ({ responses, is }) => {
    expect(aggregateResponses(responses)).toEqual(is);
  });

  it('treats hooks that cannot block as non-blocking', () => {
    const { response } = { response: ignoredResponse(validateTopology) };
    expect(aggregateResponses([response, said(2, '')])).toEqual(said(2, ''));
  });

  it('cuts the combined message at 2048 characters', () => {
    const { message } = aggregateResponses([said(1, 'a'.repeat(2000)), said(1, 'b'.repeat(2000))]);
    expect([...message]).toHaveLength(2048);
  });
});
