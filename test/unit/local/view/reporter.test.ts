import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterView } from '../../../../functions/cluster/why/cluster-view.ts';
import { createReporter, type Reporter, type RunSummary } from '../../../../local/view/reporter.ts';
import { aCluster } from '../../../support/builders.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const now = Date.parse('2026-01-01T12:34:56.789Z');
const view: ClusterView = { phase: '', provisioned: false, paused: false, available: false, waitingFor: '' };
const summary: RunSummary = {
  seconds: 7.66,
  reconciles: { cluster: 7, timer: 2 },
  failedReconciles: 0,
  invocations: { cluster: 6 },
  messages: 9,
  requests: { 'get clusters': 22, 'patch clusters': 2 },
  requestsTotal: 24,
};

function written(json: boolean, act: (reporter: Reporter) => void): string {
  let text = '';
  act(
    createReporter({
      json,
      now: () => now,
      write: more => {
        text += more;
      },
    }),
  );
  return text;
}

describe('lines for people', () => {
  const line = (act: (reporter: Reporter) => void): string => written(false, act);

  it('name the API server and the reconcilers', () => {
    expect(line(reporter => reporter.started('https://host:6443', ['cluster', 'topology']))).toBe(
      '12:34:56  Reconciling Clusters of https://host:6443 (cluster, topology); Ctrl-C stops\n',
    );
  });

  it.each<{ changed: ClusterView | undefined; text: string }>([
    { changed: { ...view, waitingFor: 'its first reconcile' }, text: 'new  waiting for its first reconcile' },
    {
      changed: { ...view, phase: 'Provisioning', waitingFor: 'InfrastructureReady: no network' },
      text: 'Provisioning  waiting for InfrastructureReady: no network',
    },
    { changed: { ...view, phase: 'Provisioned', provisioned: true, available: true }, text: 'Provisioned  Available' },
    {
      changed: { ...view, phase: 'Provisioned', available: true, waitingFor: 'its pause to end: spec.paused is true' },
      text: 'Provisioned  waiting for its pause to end: spec.paused is true',
    },
    { changed: { ...view, phase: 'Pending' }, text: 'Pending' },
    { changed: undefined, text: 'gone' },
  ])('report a Cluster: $text', ({ changed, text }) => {
    expect(line(reporter => reporter.changed('ns/c1', changed))).toBe(`12:34:56  ns/c1  ${text}\n`);
  });

  it('print errors that functions log, with their object, and no other log lines', () => {
    const error = { level: 'error', message: 'Reconciling failed', error: 'no answer' };
    expect(line(({ log }) => log({ ...error, controller: 'cluster', namespace: 'ns', name: 'c1' }))).toBe(
      '12:34:56  Reconciling failed: no answer (cluster ns/c1)\n',
    );
    expect(line(({ log }) => log(error))).toBe('12:34:56  Reconciling failed: no answer\n');
    expect(line(({ log }) => log({ level: 'info', message: 'Reconciled' }))).toBe('');
  });

  it('name every Cluster that did not get ready', () => {
    const clusters = [
      { cluster: 'ns/a', waitingFor: 'the Cluster to exist' },
      { cluster: 'ns/b', waitingFor: 'InfrastructureReady: no network' },
    ];
    expect(line(reporter => reporter.notReady(clusters))).toBe(
      '12:34:56  ns/a is not Provisioned; waiting for the Cluster to exist\n' +
        '12:34:56  ns/b is not Provisioned; waiting for InfrastructureReady: no network\n',
    );
  });

  it('report an ExtensionConfig', () => {
    const discovered = { discovered: true, handlers: ['h.ext1'], waitingFor: '' };
    expect(line(reporter => reporter.extensionChanged('ext1', discovered))).toBe(
      '12:34:56  ExtensionConfig ext1  Discovered  1 handler\n',
    );
    expect(line(reporter => reporter.extensionChanged('ext1', undefined))).toBe(
      '12:34:56  ExtensionConfig ext1  gone\n',
    );
    expect(line(reporter => reporter.notReady([{ extension: 'ext1', waitingFor: 'luck' }]))).toBe(
      '12:34:56  ExtensionConfig ext1 is not Discovered; waiting for luck\n',
    );
    expect(line(reporter => reporter.extensions(() => []))).toBe('');
  });

  it('give advice as it is', () => {
    expect(line(reporter => reporter.advice(['Try', '  this']))).toBe('\nTry\n  this\n');
  });

  it('do not know the objects that Clusters reference', () => {
    expect(createReporter({ json: false, now: () => now, write: () => undefined }).showsObjects).toBe(false);
    expect(line(reporter => reporter.objects(() => []))).toBe('');
    expect(line(reporter => reporter.close())).toBe('');
  });

  it('end with a summary', () => {
    expect(line(reporter => reporter.summary(summary))).toBe(
      [
        '',
        'seconds       7.7',
        'reconciles    cluster 7, timer 2',
        'invocations   cluster 6',
        'messages      9',
        'API requests  24',
        '              get clusters 22, patch clusters 2',
        '',
      ].join('\n'),
    );
    expect(line(reporter => reporter.summary({ ...summary, failedReconciles: 3 }))).toContain(
      'reconciles    cluster 7, timer 2 (3 failed)\n',
    );
    const requests = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`get the-resource-number-${at}`, 20 - at]),
    );
    const long = line(reporter => reporter.summary({ ...summary, requests }));
    expect(Math.max(...long.split('\n').map(each => each.length))).toBeLessThanOrEqual(100);
    expect(long).toContain('get the-resource-number-11 9, 8 others 36\n');
  });
});

describe('lines for programs', () => {
  const time = '2026-01-01T12:34:56.789Z';
  const cluster = 'ns/c1';

  it.each<{ event: string; act: (reporter: Reporter) => void; fields: object }>([
    {
      event: 'started',
      act: reporter => reporter.started('https://host', ['cluster']),
      fields: { server: 'https://host', reconcilers: ['cluster'] },
    },
    { event: 'note', act: reporter => reporter.note('two\nlines'), fields: { message: 'two\nlines' } },
    { event: 'cluster', act: reporter => reporter.changed(cluster, view), fields: { cluster, ...view } },
    { event: 'gone', act: reporter => reporter.changed(cluster, undefined), fields: { cluster } },
    { event: 'log', act: reporter => reporter.log({ level: 'info' }), fields: { line: { level: 'info' } } },
    {
      event: 'notReady',
      act: reporter => reporter.notReady([{ cluster, waitingFor: 'luck' }]),
      fields: { clusters: [{ cluster, waitingFor: 'luck' }] },
    },
    {
      event: 'notReady',
      act: reporter => reporter.notReady([{ extension: 'e', waitingFor: 'luck' }]),
      fields: { clusters: [], extensions: [{ extension: 'e', waitingFor: 'luck' }] },
    },
    {
      event: 'extension',
      act: reporter => reporter.extensionChanged('e', { discovered: true, handlers: ['h.e'], waitingFor: '' }),
      fields: { extension: 'e', discovered: true, handlers: ['h.e'], waitingFor: '' },
    },
    {
      event: 'extensionGone',
      act: reporter => reporter.extensionChanged('e', undefined),
      fields: { extension: 'e' },
    },
    { event: 'advice', act: reporter => reporter.advice(['Try']), fields: { lines: ['Try'] } },
    { event: 'summary', act: reporter => reporter.summary(summary), fields: summary },
  ])('are one JSON object each: $event', ({ event, act, fields }) => {
    const text = written(true, act);
    expect(text.endsWith('}\n')).toBe(true);
    expect(text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(text)).toEqual({ time, event, ...fields });
  });
});

describe('a live view', () => {
  let clock: SteppedClock;
  let text: string;
  let reporter: Reporter;
  const write = (more: string): void => {
    text += more;
  };
  const snapshot = {
    cluster: aCluster().inPhase('Pending').build(),
    infrastructure: undefined,
    controlPlane: undefined,
    machineDeployments: [],
    machinePools: [],
    machineHealthChecks: [],
    machines: [],
  };

  beforeEach(() => {
    clock = new SteppedClock(now);
    text = '';
    const terminal = { write, columns: () => 80, rows: () => 24, color: false };
    reporter = createReporter({ json: false, now: () => now, write: () => undefined, live: { terminal, clock } });
  });

  /** Returns the content of the screen from the last frame on. */
  async function shownAfter(act: () => void): Promise<string> {
    text = '';
    act();
    await clock.advance(100);
    return text.slice(text.indexOf('\x1b[J') + 3, text.lastIndexOf('\x1b[?25h'));
  }

  const failing = (error: string): void => reporter.log({ level: 'error', message: 'Reconciling failed', error });

  it('shows trees instead of lines', async () => {
    expect(reporter.showsObjects).toBe(true);
    expect(await shownAfter(() => reporter.objects(() => [snapshot]))).toBe(
      '… ns/c1  Pending\n1 Cluster, 0 Provisioned; Ctrl-C stops\n',
    );
    expect(await shownAfter(() => reporter.changed('ns/c1', view))).not.toContain('12:34:56');
  });

  it('shows extensions as trees above them', async () => {
    const extension = anExtensionConfig().withCondition('Discovered').build();
    const shown = await shownAfter(() => {
      reporter.objects(() => [snapshot]);
      reporter.extensions(() => [extension]);
    });
    expect(shown).toBe(
      [
        '✓ ExtensionConfig/ext1  Discovered  0 handlers',
        '… ns/c1                 Pending',
        '1 Cluster, 0 Provisioned; 1 ExtensionConfig, 1 Discovered; Ctrl-C stops',
        '',
      ].join('\n'),
    );
  });

  it('prints everything else above them', async () => {
    expect(await shownAfter(() => reporter.note('Installed'))).toBe(
      '12:34:56  Installed\n0 Clusters, 0 Provisioned; Ctrl-C stops\n',
    );
  });

  it('keeps the last three errors of functions below them, repeated ones once', async () => {
    const shown = await shownAfter(() => {
      for (const error of ['a', 'b', 'c', 'd', 'b']) {
        failing(error);
      }
      reporter.log({ level: 'info', message: 'Reconciled' });
    });
    expect(shown).toBe(
      [
        '! Reconciling failed: c',
        '! Reconciling failed: d',
        '! Reconciling failed: b (2 times)',
        '0 Clusters, 0 Provisioned; Ctrl-C stops',
        '',
      ].join('\n'),
    );
  });

  it('ends, and the summary is printed below it', async () => {
    await shownAfter(() => reporter.objects(() => [snapshot]));
    reporter.close();
    text = '';
    reporter.summary(summary);
    expect(text).toMatch(/^\nseconds {7}7\.7\n/);
  });

  it('gives way to JSON lines', () => {
    const terminal = { write, columns: () => 80, rows: () => 24, color: false };
    createReporter({ json: true, now: () => now, write, live: { terminal, clock } }).note('x');
    expect(text).toMatch(/^\{.*\}\n$/);
  });
});
