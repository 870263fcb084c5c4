// Texts and lists of any size in provider objects, Nodes and certificates. What is copied into a status has a limit.
import { describe, expect, it } from 'vitest';
import { describeLoss } from '../../../shared/kubernetes/rest/connection.ts';
import { toFailure, toLostFailure } from '../../../shared/kubernetes/rest/failures.ts';
import * as clusters from '../functions/cluster/cluster-pass.ts';
import { reconcileOnce } from '../functions/machine/machine-pass.ts';
import { aMachine, bootstrapOk, infraOk, nodeOk } from '../functions/machine/scenario-objects.ts';

const mebibyte = 1024 * 1024;

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('a provider object with texts of one MiB', () => {
  it.each([
    { of: 'letters', text: 'x'.repeat(mebibyte) },
    { of: 'emojis', text: '😀'.repeat(mebibyte / 4) },
    { of: 'escaped characters', text: '\u0001'.repeat(mebibyte / 6) },
  ])('leads to a status of a Machine that fits a request: $of', async ({ text }) => {
    const hostile = { status: 'False', reason: 'R'.repeat(mebibyte), message: text } as const;
    const failure = { failureReason: text, failureMessage: text };
    const nodeInfo = { kubeletVersion: text, osImage: text, machineID: text, bootID: text };
    const { status, condition } = await reconcileOnce(aMachine(), {
      objects: [
        bootstrapOk().withStatus(failure).withCondition('Ready', hostile),
        infraOk().withStatus(failure).withCondition('Ready', hostile),
      ],
      workload: [nodeOk().withStatus({ nodeInfo }).withCondition('Ready', hostile)],
    });
    expect(condition('InfrastructureReady')).toMatch(/^False\/ReasonTooLong .*…$/su);
    expect(condition('BootstrapConfigReady')).toMatch(/^False\/ReasonTooLong .*…$/su);
    expect(status['nodeInfo']).toMatchObject({ kubeletVersion: expect.stringMatching(/…$/) });
    expect(status['deprecated']).toMatchObject({
      v1beta1: { failureReason: 'ReasonTooLong', failureMessage: expect.stringMatching(/…$/) },
    });
    expect(bytesOf(status)).toBeLessThan(mebibyte);
  });
});

describe('lists that are longer than a status may have', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `z${index}`);

  it('addresses of a machine are an error with the limit', async () => {
    const addresses = many.map(address => ({ type: 'InternalIP', address }));
    const { result, status } = await reconcileOnce(aMachine(), {
      objects: [bootstrapOk(), infraOk().withStatus({ addresses })],
    });
    expect(result).toContain('.status.addresses is a list, expected at most 256 items');
    expect(bytesOf(status)).toBeLessThan(mebibyte / 16);
  });

  it('failure domains of a cluster are an error with the limit', async () => {
    const failureDomains = many.map(name => ({ name }));
    const { result, status } = await clusters.reconcileOnce(clusters.withBothRefs(clusters.aSettledCluster()), {
      objects: [clusters.infraOk().withStatus({ failureDomains }), clusters.controlPlaneOk()],
    });
    expect(result).toContain('.status.failureDomains is a list, expected at most 100 items');
    expect(bytesOf(status)).toBeLessThan(mebibyte / 16);
  });
});

describe('texts of servers', () => {
  const summary = { label: 'GET /', isWrite: false, isSecret: false };

  it('a certificate with 12,000 names leads to a short error', () => {
    const names = Array.from({ length: 12_000 }, (_, index) => `DNS:n${index}`).join(', ');
    const error = new Error(`Hostname/IP does not match certificate's altnames: ${names}`);
    const loss = describeLoss(error, undefined, false);
    expect(loss.message).toMatch(/^Hostname.* \(\d+ more\)$/);
    expect(toLostFailure({ ...loss, sent: false }, summary).message.length).toBeLessThan(1200);
  });

  it('a message of an API server is cut', () => {
    const body = { kind: 'Status', message: 'x'.repeat(mebibyte) };
    const { message } = toFailure({ status: 422, body }, summary);
    expect(message).toBe(`${'x'.repeat(10_240)}… (${mebibyte - 10_240} more)`);
  });
});
