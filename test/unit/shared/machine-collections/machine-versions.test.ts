import { describe, expect, it } from 'vitest';
import { countVersions } from '../../../../shared/machine-collections/machine-versions.ts';

const versions = (length: number) =>
  Array.from({ length }, (_, index) => ({ version: `v1.${index + 10}.0`, replicas: 2 }));

describe('the versions of a status', () => {
  it('are those of all Machines, up to the most versions that a Cluster may have', () => {
    expect(countVersions(versions(32))).toEqual(versions(32));
    expect(countVersions([])).toBeUndefined();
  });

  it('above this number are counted in one item', () => {
    expect(countVersions(versions(40))).toEqual([...versions(31), { version: '…', replicas: 18 }]);
  });

  it('that were counted in one item stay there', () => {
    expect(countVersions([{ version: '…', replicas: 5 }, ...versions(40)])).toEqual([
      ...versions(31),
      { version: '…', replicas: 23 },
    ]);
    expect(countVersions([{ version: '…', replicas: 5 }, ...versions(1)])).toContainEqual({
      version: '…',
      replicas: 5,
    });
  });
});
