// Builds the image of the watch-forwarder for two architectures, and writes a kustomize component that names its digest.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import * as z from 'zod';
import { forwarderProgram } from '../function-plans.ts';

/** The tag from which the digest of the base is read. */
const baseTag = 'public.ecr.aws/docker/library/node:24-alpine';
const platforms = 'linux/amd64,linux/arm64';
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const baseSchema = z.strictObject({ image: z.string(), digest });
const metadataSchema = z.looseObject({ 'containerimage.digest': digest });

/** Wrong arguments or an unexpected answer of docker. The message is one line. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

export interface ImageOptions {
  /** The repository to push to, without a tag. */
  readonly repository: string;
  readonly tag: string;
  /** Reads the digest of the base again. */
  readonly updateBase: boolean;
}

export const imageHelp = `Usage: npm run image -- --repository REGISTRY/watch-forwarder [--tag TAG] [--update-base]

Builds the watch-forwarder for ${platforms} with a bill of materials and pushes it. Needs docker with buildx, and a
login to the registry. Writes dist/forwarder-image/kustomization.yaml, a component that names the digest.

  --repository NAME  the repository, without a tag
  --tag TAG          default: latest
  --update-base      reads the digest of ${baseTag} again
`;

/** Throws ImageError. */
export function parseImageOptions(args: readonly string[]): ImageOptions | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { repository: text, tag: text, 'update-base': flag, help: flag };
  const values = (() => {
    try {
      return parseArgs({ args: [...args], options }).values;
    } catch (cause) {
      throw new ImageError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  })();
  if (values.help === true) {
    return 'help';
  }
  const { repository = '', tag = 'latest' } = values;
  if (!/^[a-z0-9][a-z0-9._:/-]*\/[a-z0-9._/-]+$/.test(repository)) {
    throw new ImageError(`--repository "${repository}" is no repository such as registry.example.com/watch-forwarder`);
  }
  if (!/^\w[\w.-]{0,127}$/.test(tag)) {
    throw new ImageError(`--tag "${tag}" is no tag`);
  }
  return { repository, tag, updateBase: values['update-base'] === true };
}

export interface ImageWorld {
  /** The project. */
  readonly root: string;
  /** Runs docker and resolves with its standard output. */
  readonly docker: (args: readonly string[]) => Promise<string>;
}

/** Docker did not start, or ended with an error. Its last line is the reason; the first one may be a warning. */
export function toDockerError(args: readonly string[], failed: DockerFailure): ImageError {
  const isMissing = failed.code === 'ENOENT';
  const lines = (failed.stderr ?? '')
    .split('\n')
    .filter(line => /^(error|unknown|docker:|cannot connect)/i.test(line.trim()));
  const reason = isMissing ? 'docker is not installed' : (lines.at(-1)?.trim() ?? failed.message.split('\n')[0] ?? '');
  const command = ['docker', ...args.slice(0, args[1] === 'imagetools' ? 3 : 2)].join(' ');
  return new ImageError(
    `${command} failed: ${reason}; docker with buildx, its daemon, and a login to the registry are needed`,
    { cause: failed },
  );
}

interface DockerFailure extends Error {
  readonly code?: unknown;
  readonly stderr?: string;
}

/** Resolves with the digest of the pushed image. Rejects with ImageError or the error of docker. */
export async function buildImage(world: ImageWorld, options: ImageOptions): Promise<string> {
  const base = await readBase(world, options);
  const folder = path.join(world.root, 'dist/forwarder-image');
  mkdirSync(folder, { recursive: true });
  const metadata = path.join(folder, 'metadata.json');
  await world.docker([
    'buildx',
    'build',
    ...['--platform', platforms],
    ...['--build-arg', `BASE=${base.image}@${base.digest}`],
    ...['--sbom=true', '--provenance=mode=max', '--push'],
    ...['--metadata-file', metadata],
    ...['--tag', `${options.repository}:${options.tag}`],
    ...['--file', path.join(world.root, 'infra/containers/watch-forwarder.Dockerfile')],
    path.join(world.root, 'dist/programs'),
  ]);
  const built = metadataSchema.safeParse(JSON.parse(readFileSync(metadata, 'utf8')));
  if (!built.success) {
    throw new ImageError('docker buildx build wrote no digest to its metadata file');
  }
  const { 'containerimage.digest': pushed } = built.data;
  const component = {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    images: [{ name: forwarderProgram.name, newName: options.repository, digest: pushed }],
  };
  writeFileSync(path.join(folder, 'kustomization.yaml'), stringify(component, { compat: 'yaml-1.1' }));
  return pushed;
}

/** The base of the lock file. Without one, its digest is read from the registry and written there. */
async function readBase(
  { root, docker }: ImageWorld,
  { updateBase }: ImageOptions,
): Promise<z.infer<typeof baseSchema>> {
  const file = path.join(root, 'infra/containers/base-image.json');
  if (existsSync(file) && !updateBase) {
    const locked = baseSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (!locked.success) {
      throw new ImageError('infra/containers/base-image.json has no image with a digest; write it with --update-base');
    }
    return locked.data;
  }
  const printed = await docker(['buildx', 'imagetools', 'inspect', baseTag, '--format', '{{.Manifest.Digest}}']);
  const found = digest.safeParse(printed.trim());
  if (!found.success) {
    throw new ImageError(`docker buildx imagetools inspect printed no digest of ${baseTag}`);
  }
  const base = { image: baseTag.replace(/:[^:/]+$/, ''), digest: found.data };
  writeFileSync(file, `${JSON.stringify(base, undefined, 2)}\n`);
  return base;
}
