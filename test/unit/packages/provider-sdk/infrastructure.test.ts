import { describe, expect, it } from 'vitest';
import { parseInfrastructureResult } from '../../../../packages/provider-sdk/infrastructure.ts';
import type { ResultLimits } from '../../../../packages/provider-sdk/role.ts';

const role: ResultLimits = {
  contract: 'v1beta2',
  endpoint: 'provided',
  conditions: ['Ready', 'NetworkReady'],
  status: ['network'],
  verdicts: ['Ready'],
};

const condition = (change: object) => ({ type: 'NetworkReady', status: 'True', reason: 'Created', ...change });

describe('A result of an infrastructure provider', () => {
  it.each([
    { raw: undefined, problem: /expected object|Invalid input/, reason: 'nothing was returned' },
    { raw: {}, problem: /^ready/, reason: 'it does not report whether it is ready' },
    { raw: { ready: true, Endpoint: {} }, problem: /Endpoint|Unrecognized|Invalid input/, reason: 'a key is unknown' },
    {
      raw: { ready: true, endpoint: { host: '', port: 1 } },
      problem: /^endpoint\.host: must not be empty$/,
      reason: 'empty host',
    },
    {
      raw: { ready: true, endpoint: { host: 'h', port: 0 } },
      problem: /^endpoint\.port: must be 1 to 65535$/,
      reason: 'port 0',
    },
    {
      raw: { ready: true, endpoint: { host: 'h', port: 65_536 } },
      problem: /^endpoint\.port: must be 1 to 65535$/,
      reason: 'port too high',
    },
    {
      raw: { ready: true, failureDomains: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      problem: /^failureDomains: a occurs twice$/,
      reason: 'a domain twice',
    },
    {
      raw: { ready: true, failureDomains: [{ name: '' }] },
      problem: /^failureDomains\.0\.name: must not be empty$/,
      reason: 'a domain without name',
    },
    {
      raw: { ready: true, requeueAfter: -1 },
      problem: /^requeueAfter: must be seconds ≥ 0$/,
      reason: 'a time in the past',
    },
    { raw: { ready: true, requeueAfter: Number.NaN }, problem: /^requeueAfter/, reason: 'no number' },
    {
      raw: { ready: true, conditions: [condition({ reason: 'Not a word' })] },
      problem: /^conditions\.0\.reason: must be a word$/,
      reason: 'a reason the API server refuses',
    },
    {
      raw: { ready: true, conditions: [condition({ type: 'Paused' })] },
      problem: /Paused is not among the declared types/,
      reason: 'an undeclared condition',
    },
    {
      raw: { ready: true, conditions: [condition({}), condition({})] },
      problem: /^conditions: NetworkReady occurs twice$/,
      reason: 'a condition twice',
    },
    {
      raw: { ready: true, conditions: [condition({ type: 'Ready', status: 'Unknown' })] },
      problem: /^conditions: Ready is Unknown/,
      reason: 'it contradicts itself',
    },
    {
      raw: { ready: true, status: { initialization: {} } },
      problem: /^status: initialization is not a declared field$/,
      reason: 'a field of the contract',
    },
  ])('is refused when $reason', ({ raw, problem }) => {
    expect(parseInfrastructureResult(raw, role)).toEqual({ ok: false, error: expect.stringMatching(problem) });
  });

  it('is refused when it holds the endpoint that the Cluster supplies', () => {
    const raw = { ready: true, endpoint: { host: 'h', port: 6443 } };
    expect(parseInfrastructureResult(raw, { ...role, endpoint: 'fromCluster' })).toMatchObject({ ok: false });
  });

  it.each([
    { requeueAfter: undefined, ms: undefined, reason: 'none requested' },
    { requeueAfter: 0, ms: 1_000, reason: 'at least a second' },
    { requeueAfter: 2.5, ms: 2_500, reason: 'parts of a second count' },
  ])('is followed by another call: $reason', ({ requeueAfter, ms }) => {
    const checked = parseInfrastructureResult({ ready: false, requeueAfter }, role);
    expect(checked).toMatchObject({ ok: true, value: { requeueAfterMs: ms } });
  });

  it('sets the flag only when it is ready', () => {
    expect(parseInfrastructureResult({ ready: true }, role)).toMatchObject({
      value: { latches: ['status.initialization.provisioned'] },
    });
    expect(parseInfrastructureResult({ ready: false }, role)).toMatchObject({ value: { latches: [] } });
  });
});
