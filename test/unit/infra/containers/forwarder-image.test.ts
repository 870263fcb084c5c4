// The image of the watch-forwarder, with a function in place of docker. No registry and no docker were used.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../../infra/bundles/bundle.ts';
import {
  buildImage,
  ImageError,
  parseImageOptions,
  toDockerError,
} from '../../../../infra/containers/forwarder-image.ts';

const baseDigest = `sha256:${'a'.repeat(64)}`;
const imageDigest = `sha256:${'b'.repeat(64)}`;
const options = { repository: 'registry.example.com/watch-forwarder', tag: '1', updateBase: false };
const base = 'public.ecr.aws/docker/library/node';

let root: string;
let calls: (readonly string[])[];

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'capi-image-'));
  mkdirSync(path.join(root, 'infra/containers'), { recursive: true });
  calls = [];
});

afterEach(() => rmSync(root, { recursive: true }));

const lockFile = () => path.join(root, 'infra/containers/base-image.json');

function dockerWith({
  printed = `${baseDigest}\n`,
  metadata = { 'containerimage.digest': imageDigest } as object,
} = {}) {
  return async (args: readonly string[]): Promise<string> => {
    calls.push(args);
    if (args[1] === 'imagetools') {
      return printed;
    }
    writeFileSync(args[args.indexOf('--metadata-file') + 1] ?? '', JSON.stringify(metadata));
    return '';
  };
}

describe('the image', () => {
  it('is built for both architectures on a base by digest, with a bill of materials, and pushed', async () => {
    expect(await buildImage({ root, docker: dockerWith() }, options)).toBe(imageDigest);
    const [, build = []] = calls;
    expect(build.slice(0, 2)).toEqual(['buildx', 'build']);
    expect(build[build.indexOf('--platform') + 1]).toBe('linux/amd64,linux/arm64');
    expect(build[build.indexOf('--build-arg') + 1]).toBe(`BASE=${base}@${baseDigest}`);
    expect(build).toEqual(expect.arrayContaining(['--sbom=true', '--provenance=mode=max', '--push']));
    expect(build[build.indexOf('--tag') + 1]).toBe('registry.example.com/watch-forwarder:1');
    expect(build.at(-1)).toBe(path.join(root, 'dist/programs'));
  });

  it('is named by its digest in a kustomize component', async () => {
    await buildImage({ root, docker: dockerWith() }, options);
    const text = readFileSync(path.join(root, 'dist/forwarder-image/kustomization.yaml'), 'utf8');
    expect(parse(text)).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1alpha1',
      kind: 'Component',
      images: [{ name: 'watch-forwarder', newName: options.repository, digest: imageDigest }],
    });
  });

  it('is refused if docker reports no digest', async () => {
    const docker = dockerWith({ metadata: {} });
    await expect(buildImage({ root, docker }, options)).rejects.toThrow('docker buildx build wrote no digest');
  });
});

describe('the base', () => {
  it('is resolved once, and then taken from the lock file', async () => {
    await buildImage({ root, docker: dockerWith() }, options);
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toEqual({ image: base, digest: baseDigest });
    calls = [];
    await buildImage({ root, docker: dockerWith() }, options);
    expect(calls.map(([, command]) => command)).toEqual(['build']);
  });

  it('is resolved again with --update-base', async () => {
    writeFileSync(lockFile(), JSON.stringify({ image: base, digest: imageDigest }));
    await buildImage({ root, docker: dockerWith() }, { ...options, updateBase: true });
    expect(JSON.parse(readFileSync(lockFile(), 'utf8')).digest).toBe(baseDigest);
  });

  it.each([
    { reason: 'the registry answers with a tag', lock: undefined, printed: 'latest', says: 'printed no digest' },
    { reason: 'the lock file has none', lock: { image: base }, printed: '', says: 'write it with --update-base' },
  ])('is refused without a digest: $reason', async ({ lock, printed, says }) => {
    if (lock !== undefined) {
      writeFileSync(lockFile(), JSON.stringify(lock));
    }
    await expect(buildImage({ root, docker: dockerWith({ printed }) }, options)).rejects.toThrow(says);
    expect(calls.filter(([, command]) => command === 'build')).toEqual([]);
  });
});

describe('an error of docker', () => {
  const needed = 'docker with buildx, its daemon, and a login to the registry are needed';

  it.each([
    {
      reason: 'no docker',
      args: ['buildx', 'imagetools', 'inspect', 'x'],
      failed: { code: 'ENOENT' },
      says: 'docker buildx imagetools inspect failed: docker is not installed',
    },
    {
      reason: 'no buildx',
      args: ['buildx', 'build', '--platform', 'x'],
      failed: { stderr: "unknown flag: --platform\n\nUsage:  docker [OPTIONS]\n\nRun 'docker --help'\n" },
      says: 'docker buildx build failed: unknown flag: --platform',
    },
    {
      reason: 'no daemon',
      args: ['buildx', 'build'],
      failed: {
        stderr: 'WARNING: no file\nERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock\n',
      },
      says: 'docker buildx build failed: ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock',
    },
    { reason: 'no output', args: ['buildx', 'build'], failed: {}, says: 'docker buildx build failed: Command failed' },
  ])('is one line that says what is needed: $reason', ({ args, failed, says }) => {
    const error = toDockerError(args, Object.assign(new Error('Command failed\nmore'), failed));
    expect(error).toBeInstanceOf(ImageError);
    expect(error.message).toBe(`${says}; ${needed}`);
  });
});

describe('the Dockerfile', () => {
  const dockerfile = readFileSync(path.join(projectRoot, 'infra/containers/watch-forwarder.Dockerfile'), 'utf8');

  it('has no problem that a linter of Dockerfiles reports', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it.each([
    { change: dockerfile.replace('USER', 'USR'), says: 'Unknown instruction' },
    { change: dockerfile.replace('FROM', '# FROM'), says: 'FROM' },
  ])('would not pass with a defect: $says', ({ change, says }) => {
    expect(
      validate(change)
        .map(({ message }) => message)
        .join(),
    ).toContain(says);
  });
});

describe('the arguments', () => {
  it('are a repository, a tag and a flag', () => {
    expect(parseImageOptions(['--repository', options.repository, '--tag', '1'])).toEqual(options);
    expect(parseImageOptions(['--help'])).toBe('help');
  });

  it.each([
    { given: [], says: '--repository "" is no repository' },
    { given: ['--repository', 'no registry'], says: '--repository "no registry" is no repository' },
    { given: ['--repository', options.repository, '--tag', 'a b'], says: '--tag "a b" is no tag' },
    { given: ['--push'], says: "Unknown option '--push'" },
  ])('are refused: $says', ({ given, says }) => {
    expect(() => parseImageOptions(given)).toThrow(ImageError);
    expect(() => parseImageOptions(given)).toThrow(says);
  });
});
