// The webhooks of upstream's core manager as a program of their own: reviews on standard input, answers on standard
// output. It needs no API server, no network and no port.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

const program = 'webhooks';

/** In the same module as the manager, so that both have the same version. */
export const upstreamWebhooks: GoModule = {
  name: 'upstream-webhooks',
  title: 'webhooks of upstream',
  dir: import.meta.dirname,
  programs: { [program]: './webhooks' },
  buildFlags: ['-p=2', '-trimpath', '-ldflags', '-s -w'],
  sources: ['webhooks/main.go'],
  firstBuild: 'about 5 minutes',
};

export interface UpstreamReview {
  readonly path: string;
  readonly review: JsonObject;
  /** What the webhook can read. */
  readonly objects: readonly JsonObject[];
}

const answerSchema = z.object({ code: z.number(), body: z.string() });

/** Returns the program if it was built. `missing` is the reason in one line why there is none. */
export function findUpstreamWebhooks(): { readonly program: string } | { readonly missing: string } {
  const built = join(builtDir(upstreamWebhooks), program);
  return existsSync(built)
    ? { program: built }
    : { missing: 'the webhooks of upstream are not built; run "npm run upstream-manager" once' };
}

const mostOutputBytes = 1024 ** 3;

/** Returns the answers in the same order. */
export function askUpstream(
  built: string,
  featureGates: string,
  reviews: readonly UpstreamReview[],
): readonly JsonObject[] {
  const lines = reviews.map(({ path, review, objects }) =>
    JSON.stringify({ path, body: JSON.stringify(review), objects }),
  );
  const ended = spawnSync(built, [`--feature-gates=${featureGates}`], {
    input: lines.join('\n'),
    encoding: 'utf8',
    maxBuffer: mostOutputBytes,
  });
  if (ended.status !== 0) {
    throw new Error(`The webhooks of upstream ended with ${ended.status}: ${ended.stderr}`);
  }
  return ended.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(answerSchema.parse(JSON.parse(line)).body).response);
}
