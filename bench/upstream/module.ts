// Upstream's core manager and CRDs, from the Go module that go.mod pins.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { parse } from 'yaml';
import { buildGoModule, GoBuildError, goEnvironment, requireGo } from '../../test/go-modules/build.ts';
import type { GoModule } from '../../test/go-modules/go-module.ts';
import type { Say } from '../section.ts';

const program = 'manager';

const upstreamModule: GoModule = {
  name: 'upstream',
  title: 'upstream manager',
  dir: import.meta.dirname,
  programs: { [program]: 'sigs.k8s.io/cluster-api/core' },
  buildFlags: ['-p=2', '-trimpath', '-ldflags', '-s -w'],
  sources: [],
  firstBuild: 'about 5 minutes',
};

interface Upstream {
  /** The path of the manager's program. */
  readonly program: string;
  /** The CRDs of upstream, without conversion webhooks. */
  readonly crds: readonly Intent[];
}

/** Builds the manager if necessary. `missing` is the reason in one line why upstream cannot be measured. */
export async function prepareUpstream(say: Say): Promise<Upstream | { readonly missing: string }> {
  try {
    requireGo(upstreamModule);
    const dir = await buildGoModule(upstreamModule, say);
    return { program: join(dir, program), crds: readCrds(moduleSourceDir('sigs.k8s.io/cluster-api')) };
  } catch (error) {
    if (error instanceof GoBuildError) {
      return { missing: error.message };
    }
    throw error;
  }
}

/** Returns Go's folder of the module's sources. Downloads them if they are not in the cache. */
function moduleSourceDir(module: string): string {
  const asked = spawnSync('go', ['mod', 'download', '-json', module], {
    cwd: upstreamModule.dir,
    env: goEnvironment,
    encoding: 'utf8',
  });
  const { Dir: dir }: { readonly Dir?: string } = asked.status === 0 ? JSON.parse(asked.stdout) : {};
  if (dir === undefined) {
    throw new GoBuildError(`Go cannot provide the sources of ${module}: ${asked.stderr.trim()}`);
  }
  return dir;
}

/** The CRDs as upstream generates them. Its deployment adds the conversion webhooks. */
function readCrds(moduleDir: string): readonly Intent[] {
  const folder = join(moduleDir, 'core/config/crd/bases');
  return readdirSync(folder)
    .sort()
    .map(file => parse(readFileSync(join(folder, file), 'utf8')) as Intent); // true: each file contains one definition
}
