// Compares our conversion with upstream's on generated objects: `npm run compare-conversion -- [objects per kind] [seed]`.
import { isDeepStrictEqual } from 'node:util';
import { groupBy, isJsonObject, memberOf } from '@capi-serverless/apimachinery';
import { compare, comparedPairs } from './compare-conversions.ts';
import { findConverter } from './converter.ts';

const [count = '20000', seed = '1'] = process.argv.slice(2);
const found = findConverter();
if ('missing' in found) {
  throw new Error(found.missing);
}
for (const pair of comparedPairs) {
  const { kind, version, compared, refused, known, differences } = compare(pair, {
    program: found.program,
    seed,
    count: Number(count),
  });
  console.log(
    `${kind} ${version}: ${compared} conversions, ${refused} refused by both, ${differences.length} differences, known ${JSON.stringify(known)}`,
  );
  const byField = groupBy(differences, ({ upstream, ours }) => firstDifference(upstream, ours));
  for (const [field, [first, ...others]] of byField) {
    console.log(`  ${field} (${others.length + 1}), for example to ${first?.to}: ${JSON.stringify(first?.object)}`);
    process.exitCode = 1;
  }
}

/** Returns the first field that differs, with both values. */
function firstDifference(left: unknown, right: unknown, path = ''): string {
  if (isJsonObject(left) && isJsonObject(right)) {
    const key = [...Object.keys(left), ...Object.keys(right)].find(
      each => !isDeepStrictEqual(memberOf(left, each), memberOf(right, each)),
    );
    return key === undefined ? path : firstDifference(memberOf(left, key), memberOf(right, key), `${path}.${key}`);
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    const at = left.findIndex((item, index) => !isDeepStrictEqual(item, right[index]));
    return firstDifference(left[at], right[at], `${path}[]`);
  }
  return `${path}: upstream ${toText(left)}, ours ${toText(right)}`;
}

function toText(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 120);
}
