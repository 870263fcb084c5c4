// Compares our admission with upstream's webhooks on generated reviews:
// `npm run compare-admission -- [reviews per kind and set of gates] [seed] [kind,kind]`.
import { groupBy } from '@capi-serverless/apimachinery';
import { findUpstreamWebhooks } from '../../upstream-manager/webhooks.ts';
import { comparedKinds, compareReviews, gateSets } from './compare-reviews.ts';
import { type ComparedReview, knownDifferences } from './known-differences.ts';

const [count = '20000', seed = '1', kinds] = process.argv.slice(2);
const wanted = kinds?.split(',');
const found = findUpstreamWebhooks();
if ('missing' in found) {
  throw new Error(found.missing);
}
const unmet = new Set(knownDifferences.map(({ what }) => what));
for (const of of comparedKinds.filter(({ kind }) => wanted?.includes(kind) ?? true)) {
  for (const gates of gateSets) {
    const options = { program: found.program, gates, count: Number(count), seed: Number(seed) };
    const { reviews, refused, embedded, known, differences } = await compareReviews(of, options);
    for (const what of Object.keys(known)) {
      unmet.delete(what);
    }
    console.log(
      `${of.kind} with "${gates}": ${reviews} reviews, ${refused} refused, ${embedded} writes also embedded, ${differences.length} differences, known ${JSON.stringify(known)}`,
    );
    for (const [what, [first, ...others]] of groupBy(differences, summaryOf)) {
      console.log(
        `  ${others.length + 1} × ${what}\n    for example ${JSON.stringify({ object: first?.object, old: first?.old })}`,
      );
      process.exitCode = 1;
    }
  }
}
if (unmet.size > 0 && wanted === undefined) {
  console.log(`No review showed: ${[...unmet].join('; ')}`);
}

/** What differs first, with both values. */
function summaryOf({ by, hook, theirs, ours }: ComparedReview): string {
  const fields = ['allowed', 'code', 'causes', 'message', 'reason', 'details', 'warnings', 'object'] as const;
  const field = fields.find(name => JSON.stringify(theirs[name]) !== JSON.stringify(ours[name])) ?? 'object';
  if (field === 'allowed' || field === 'code') {
    const shown = ({ code, message }: ComparedReview['ours']) => `${code} ${message}`;
    return `${by} ${hook} ${field}: upstream ${shown(theirs)}, ours ${shown(ours)}`;
  }
  if (field !== 'causes') {
    return `${by} ${hook} ${field}: upstream ${JSON.stringify(theirs[field])}, ours ${JSON.stringify(ours[field])}`;
  }
  const missing = theirs.causes.filter(cause => !ours.causes.includes(cause));
  const additional = ours.causes.filter(cause => !theirs.causes.includes(cause));
  return `${by} ${hook} causes: upstream ${JSON.stringify(missing)}, ours ${JSON.stringify(additional)}`;
}
