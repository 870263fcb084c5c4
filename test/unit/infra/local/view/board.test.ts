import { beforeEach, describe, expect, it } from 'vitest';
import { type Board, createBoard } from '../../../../../infra/local/view/board.ts';
import type { ExtensionView } from '../../../../../infra/local/view/extensions.ts';
import type { ClusterView } from '../../../../../infra/local/view/waiting.ts';

const provisioned: ClusterView = {
  phase: 'Provisioned',
  provisioned: true,
  paused: false,
  available: false,
  waitingFor: '',
};
const provisioning: ClusterView = { ...provisioned, phase: 'Provisioning', provisioned: false };

let board: Board;

describe('with wishes', () => {
  beforeEach(() => {
    board = createBoard({ clusters: ['ns/a', 'ns/b'], extensions: [] });
  });

  it('is ready once all of them are Provisioned, whatever becomes of others', () => {
    board.set('ns/other', provisioning);
    board.set('ns/a', provisioned);
    expect(board.isReady()).toBe(false);
    board.set('ns/b', provisioned);
    expect(board.isReady()).toBe(true);
  });

  it('is not ready any more when one of them goes', () => {
    board.set('ns/a', provisioned);
    board.set('ns/b', provisioned);
    board.set('ns/b', undefined);
    expect(board.isReady()).toBe(false);
  });

  it('tells what each of them still waits for', () => {
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

describe('with wishes for extensions', () => {
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

  it('waits for the Clusters wished for as well', () => {
    board = createBoard({ clusters: ['ns/a'], extensions: ['a'] });
    board.setExtension('a', known);
    expect(board.isReady()).toBe(false);
    board.set('ns/a', provisioned);
    expect(board.isReady()).toBe(true);
  });
});

describe('without wishes', () => {
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
