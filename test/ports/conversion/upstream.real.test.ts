// Our conversion between versions, compared with upstream's own code on generated objects.
import { describe, expect, it } from 'vitest';
import { parseShapes } from '../../../shared/conversion/parse-shapes.ts';
import { coreV1Beta1Shapes } from '../../../shared/conversion/shapes/core-kinds-v1beta1.ts';
import { coreV1Beta2Shapes } from '../../../shared/conversion/shapes/core-kinds-v1beta2.ts';
import { kubernetesShapes } from '../../../shared/conversion/shapes/kubernetes-types.ts';
import { otherShapes } from '../../../shared/conversion/shapes/other-kinds.ts';
import { describePart } from '../../support/describe-part.ts';
import { seed } from '../../support/property.ts';
import { compare, comparedPairs } from '../../upstream-conversion/compare-conversions.ts';
import { findConverter, upstreamShapes } from '../../upstream-conversion/converter.ts';
import { knownDifferences } from '../../upstream-conversion/known-differences.ts';

/** `npm run compare-conversion` compares more. */
const count = 500;
/** Known differences come from rare values. */
const mostKnown = 0.02;

describePart('Conversion, compared with upstream', findConverter(), {
  part: 'the conversion of Cluster API',
  declare({ program }) {
    it.each(comparedPairs)('converts $kind of $version as upstream', pair => {
      const { compared, refused, known, differences } = compare(pair, { program, seed: String(seed), count });
      expect(differences.slice(0, 2)).toEqual([]);
      expect(compared).toBeGreaterThan(4 * count);
      expect(refused).toBeLessThan(compared / 5);
      expect(Object.values(known).reduce((sum, each) => sum + each, 0)).toBeLessThan(compared * mostKnown);
    });

    it('knows the fields of all types', () => {
      const ours = parseShapes(kubernetesShapes, coreV1Beta1Shapes, coreV1Beta2Shapes, otherShapes);
      const fields = Object.fromEntries(Object.entries(ours).map(([name, shape]) => [name, Object.entries(shape)]));
      expect(fields).toEqual(upstreamShapes(program));
    });
  },
});

describe('a known difference', () => {
  it.each(knownDifferences)('has a reason: $name', ({ reason }) => {
    expect(reason).not.toBe('');
  });
});
