import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterView } from '../../../../functions/cluster/why/cluster-view.ts';
import type { ExtensionView } from '../../../../functions/extensionconfig/explain.ts';
import { type Board, createBoard } from '../../../../local/view/board.ts';

const provisioned: ClusterView = {
  phase: 'Provisioned',
  provisioned: true,
  paused: false,
  available: false,
  waitingFor: '',
};
const provisioning: ClusterView = { ...provisioned, phase: 'Provisioning', provisioned: false };

let board: Board;

describe('with expected Clusters', () => {
  beforeEach(() => {
    board = createBoard({ clusters: ['ns/a', 'ns/b'], extensions: [] });
  });

  it('is ready once all of them are Provisioned, regardless of others', () => {
    board.set('ns/other', provisioning);
    board.set('ns/a', provisioned);
    expect(board.isReady()).toBe(false);
    board.set('ns/b', provisioned);
    expect(board.isReady()).toBe(true);
  });

  it('is no longer ready when one of them is deleted', () => {
    board.set('ns/a', provisioned);
    board.set('ns/b', provisioned);
    board.set('ns/b', undefined);
    expect(board.isReady()).toBe(false);
  });

  it('reports what each object waits for', () => {
    board.set('ns/other', provisioning);
    board.set('ns/a', { ...provisioning, waitingFor: 'InfrastructureReady: no network' });
    expect(board.missing()).toEqual([
      { cluster: 'ns/a', waitingFor: 'InfrastructureReady: no network' },
      { cluster: 'ns/b', waitingFor: 'the Cluster to exist' },
    ]);
    board.set('ns/a', provisioned);
    board.set('ns/b', provisioning);
    expect(board.missing()).toEqual([{ cluster: 'ns/b', waitingFor: 'phase Provisioning to become Provisioned' }]);
  });
});

describe('with expected extensions', () => {
  const known: ExtensionView = { discovered: true, handlers: [], waitingFor: '' };
  const unknown: ExtensionView = { discovered: false, handlers: ['h.a'], waitingFor: 'Discovered: no answer' };

  it('is ready without any Cluster once all of them are Discovered', () => {
    board = createBoard({ clusters: [], extensions: ['a'] });
    board.set('ns/other', provisioning);
    board.setExtension('other', unknown);
    expect(board.isReady()).toBe(false);
    expect(board.missing()).toEqual([{ extension: 'a', waitingFor: 'the ExtensionConfig to exist' }]);
    board.setExtension('a', unknown);
    expect(board.missing()).toEqual([{ extension: 'a', waitingFor: 'Discovered: no answer' }]);
    board.setExtension('a', known);
    expect([board.isReady(), board.missing()]).toEqual([true, []]);
    board.setExtension('a', undefined);
    expect(board.isReady()).toBe(false);
  });

  it('waits for the expected Clusters as well', () => {
    board = createBoard({ clusters: ['ns/a'], extensions: ['a'] });
    board.setExtension('a', known);
    expect(board.isReady()).toBe(false);
    board.set('ns/a', provisioned);
    expect(board.isReady()).toBe(true);
  });
});

describe('without expectations', () => {
  beforeEach(() => {
    board = createBoard({ clusters: [], extensions: [] });
  });

  it('is not ready before it has seen a Cluster', () => {
    expect(board.isReady()).toBe(false);
    expect(board.missing()).toEqual([]);
  });

  it('is ready once every Cluster that exists is Provisioned', () => {
    board.set('ns/a', provisioned);
    board.set('ns/b', provisioning);
    expect(board.isReady()).toBe(false);
    board.set('ns/b', undefined);
    expect(board.isReady()).toBe(true);
  });
});
