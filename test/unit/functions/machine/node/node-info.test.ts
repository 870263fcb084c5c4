import { expect, it } from 'vitest';
import { toNodeInfo } from '../../../../../functions/machine/phases/node/node-info.ts';

it.each([
  { size: 'the longest field stays', osImage: 'x'.repeat(256), copied: 'x'.repeat(256) },
  { size: 'a longer field is cut', osImage: 'x'.repeat(257), copied: `${'x'.repeat(255)}…` },
])('nodeInfo of a Node: $size', ({ osImage, copied }) => {
  expect(toNodeInfo({ osImage })).toMatchObject({ osImage: copied });
});
