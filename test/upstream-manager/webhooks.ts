// The webhooks of upstream's core manager and its generator of desired states as a program of their own: requests on
// standard input, answers on standard output. It needs no API server, no network and no port.
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
  sources: ['webhooks/main.go', 'webhooks/desired_state.go', 'webhooks/current_state.go'],
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

/** The objects of one Cluster: itself, its class, the templates, the definitions, and what exists already. */
type ObjectsOfCluster = readonly JsonObject[];

/** Either all desired objects by their role, or the reason why there are none. */
export interface UpstreamDesiredState {
  /** `spec.topology` with the defaults of the webhook. */
  readonly topology?: JsonObject;
  readonly objects?: Readonly<Record<string, JsonObject>>;
  /** The refusal of a webhook. */
  readonly refused?: string;
  /** The error of the generator. */
  readonly error?: string;
}

interface UpstreamRequest {
  readonly path: string;
  readonly body: JsonObject;
  readonly objects: readonly JsonObject[];
}

const mostOutputBytes = 1024 ** 3;

/** Returns the answers in the same order. */
export function askUpstream(
  built: string,
  featureGates: string,
  reviews: readonly UpstreamReview[],
): readonly JsonObject[] {
  const requests = reviews.map(({ path, review, objects }) => ({ path, body: review, objects }));
  return post(built, featureGates, requests).map(({ response }) => Object(response));
}

/** Returns what upstream's generator computes for each Cluster, in the same order. */
export function desiredStatesOfUpstream(
  built: string,
  featureGates: string,
  clusters: readonly ObjectsOfCluster[],
): readonly UpstreamDesiredState[] {
  return post(
    built,
    featureGates,
    clusters.map(objects => ({ path: '/desired-state', body: {}, objects })),
  );
}

function post(built: string, featureGates: string, requests: readonly UpstreamRequest[]): readonly JsonObject[] {
  const lines = requests.map(({ path, body, objects }) =>
    JSON.stringify({ path, body: JSON.stringify(body), objects }),
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
    .map(line => JSON.parse(answerSchema.parse(JSON.parse(line)).body));
}
