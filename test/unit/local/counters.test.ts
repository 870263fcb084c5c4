import { channel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Counters, listen, startCounters } from '../../../local/counters.ts';
import {
  type InvocationFact,
  invocations,
  type ReconcileFact,
  type RequestFact,
  reconciles,
  requests,
} from '../../../shared/diagnostics/channels.ts';

let counters: Counters;

beforeEach(() => {
  counters = startCounters({ except: 'local' });
});

afterEach(() => counters.stop());

function reconcile(reconciler: string, result: ReconcileFact['result'] = 'success'): void {
  const fact: ReconcileFact = {
    reconciler,
    namespace: 'ns',
    name: 'c1',
    result,
    passes: 1,
    writes: 0,
    seconds: 0,
    startedAt: 0,
    sentAt: 0,
    causes: ['event'],
    traces: ['t'],
  };
  reconciles.publish(fact);
}

function invoke(functionName: string, messages: number): void {
  const fact: InvocationFact = { functionName, messages, failures: 0, startedAt: 0, endedAt: 1 };
  invocations.publish(fact);
}

function request(verb: string, resource: string, client = 'cluster'): void {
  const fact: RequestFact = { verb, group: '', resource, dryRun: false, code: 200, startedAt: 0, endedAt: 1, client };
  requests.publish(fact);
}

describe('the counters of a run', () => {
  it('start at zero', () => {
    expect(counters.summary()).toEqual({
      reconciles: {},
      failedReconciles: 0,
      invocations: {},
      messages: 0,
      requests: {},
      requestsTotal: 0,
    });
  });

  it('count reconciles by reconciler, failed ones among them', () => {
    reconcile('topology');
    reconcile('cluster');
    reconcile('cluster', 'requeue_after');
    reconcile('cluster', 'error');
    reconcile('cluster', 'terminal_error');
    expect(counters.summary()).toMatchObject({ reconciles: { cluster: 4, topology: 1 }, failedReconciles: 2 });
    expect(Object.keys(counters.summary().reconciles)).toEqual(['cluster', 'topology']);
  });

  it('count invocations by function, and the messages handed over', () => {
    invoke('cluster', 3);
    invoke('timer', 1);
    invoke('cluster', 10);
    expect(counters.summary()).toMatchObject({ invocations: { cluster: 2, timer: 1 }, messages: 14 });
  });

  it("count requests by verb and resource, without the tool's own", () => {
    request('get', 'clusters');
    request('get', 'clusters', 'watch-forwarder');
    request('patch', 'clusters/status');
    request('get', 'clusters', 'local');
    expect(counters.summary()).toMatchObject({
      requests: { 'get clusters': 2, 'patch clusters/status': 1 },
      requestsTotal: 3,
    });
  });

  it('count nothing more once stopped', () => {
    counters.stop();
    reconcile('cluster');
    invoke('cluster', 1);
    request('get', 'clusters');
    expect(counters.summary()).toMatchObject({ reconciles: {}, messages: 0, requestsTotal: 0 });
  });
});

it('a listener hears facts until it stops', () => {
  const facts = channel('capi-serverless:test-of-listen');
  const heard: string[] = [];
  const stop = listen<string>(facts, fact => heard.push(fact));
  facts.publish('first');
  stop();
  facts.publish('second');
  expect(heard).toEqual(['first']);
  expect(facts.hasSubscribers).toBe(false);
});
