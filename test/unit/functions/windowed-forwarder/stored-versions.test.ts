import { expect, it } from 'vitest';
import { hasMoved, type StoredVersion } from '../../../../functions/windowed-forwarder/stored-versions.ts';

interface Row {
  readonly settings?: string;
  readonly versions: Readonly<Record<string, StoredVersion>>;
  readonly moved: boolean;
  readonly reason: string;
}

const v1 = (resourceVersion: string): StoredVersion => ({ version: 'v1', resourceVersion });
const versions = { A: v1('5'), B: 'missing' } as const;

it.each<Row>([
  { versions, moved: false, reason: 'nothing has changed' },
  { versions, settings: 'others', moved: true, reason: 'the settings have changed' },
  { versions: { ...versions, A: v1('6') }, moved: true, reason: 'a kind has advanced' },
  {
    versions: { ...versions, A: { version: 'v2', resourceVersion: '5' } },
    moved: true,
    reason: 'a kind is read in another version',
  },
  { versions: { ...versions, B: v1('7') }, moved: true, reason: 'a missing kind is served' },
  { versions: { ...versions, A: 'missing' }, moved: true, reason: 'a kind is no longer served' },
  { versions: { ...versions, C: v1('8') }, moved: true, reason: 'a kind is new' },
  { versions: { A: v1('5') }, moved: true, reason: 'a kind is no longer followed' },
])('stores the versions again ($moved): $reason', ({ settings = 'same', versions: after, moved }) => {
  const before = { settings: 'same', versions: new Map(Object.entries(versions)) };
  expect(hasMoved(before, { settings, versions: new Map(Object.entries(after)) })).toBe(moved);
});
