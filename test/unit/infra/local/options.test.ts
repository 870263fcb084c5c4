import { describe, expect, it } from 'vitest';
import { defaultTimeoutSeconds, help, parseOptions, UsageError } from '../../../../infra/local/options.ts';

const minimal = ['--kubeconfig', 'k'];

describe('the command line', () => {
  it('needs nothing but an API server', () => {
    expect(parseOptions(minimal, {})).toEqual({
      kubeconfig: 'k',
      apply: [],
      installCrds: false,
      exitWhenReady: false,
      timeoutSeconds: defaultTimeoutSeconds,
      watchFilter: '',
      json: false,
    });
  });

  it('is read in full', () => {
    const args =
      '--apply a.yaml --apply b.yaml --install-crds --exit-when-ready --timeout 1.5 --watch-filter blue --json';
    expect(parseOptions([...minimal, ...args.split(' ')], {})).toEqual({
      kubeconfig: 'k',
      apply: ['a.yaml', 'b.yaml'],
      installCrds: true,
      exitWhenReady: true,
      timeoutSeconds: 1.5,
      watchFilter: 'blue',
      json: true,
    });
  });

  it.each([
    { args: [], env: { KUBECONFIG: 'from-env' }, kubeconfig: 'from-env', reason: 'the environment names it' },
    { args: minimal, env: { KUBECONFIG: 'from-env' }, kubeconfig: 'k', reason: 'the option goes first' },
    { args: minimal, env: { KUBECONFIG: 'a:b' }, kubeconfig: 'k', reason: 'the environment is not looked at' },
  ])('takes kubeconfig $kubeconfig: $reason', ({ args, env, kubeconfig }) => {
    expect(parseOptions(args, env)).toMatchObject({ kubeconfig });
  });

  it('asks for help before anything else is judged', () => {
    expect(parseOptions(['--help', '--timeout', 'soon'], {})).toBe('help');
  });

  it.each([
    { args: [], message: 'No API server given: pass --kubeconfig FILE or set KUBECONFIG', reason: 'nothing given' },
    { args: ['--kubeconfig', ''], message: '--kubeconfig names no file', reason: 'an unset variable of a script' },
    { args: ['--kubeconfg', 'k'], message: "Unknown option '--kubeconfg'; --help lists the options", reason: 'typo' },
    { args: ['up'], message: "Unexpected argument 'up'; --help lists the options", reason: 'no commands here' },
    {
      args: ['--kubeconfig'],
      message: "Option '--kubeconfig <value>' argument missing; --help lists the options",
      reason: 'no value',
    },
    {
      args: ['--kubeconfig', '--json'],
      message: "Option '--kubeconfig' argument is ambiguous; --help lists the options",
      reason: 'an option where a value should be',
    },
    {
      args: [...minimal, '--json=yes'],
      message: "Option '--json' does not take an argument; --help lists the options",
      reason: 'a value where none should be',
    },
    {
      args: [...minimal, '--timeout', '5'],
      message: '--timeout needs --exit-when-ready',
      reason: 'nothing to wait for',
    },
  ])('refuses $args: $reason', ({ args, message }) => {
    expect(() => parseOptions(args, {})).toThrow(new UsageError(message));
  });

  it.each(['0', '-1', 'soon', '', 'Infinity', '86401'])('refuses to wait for "%s" seconds', text => {
    expect(() => parseOptions([...minimal, '--exit-when-ready', `--timeout=${text}`], {})).toThrow(
      `--timeout must be a number of seconds, more than 0 and at most a day, got "${text}"`,
    );
  });

  it('refuses several kubeconfigs in one variable', () => {
    expect(() => parseOptions([], { KUBECONFIG: '/a:/b' })).toThrow(
      new UsageError('KUBECONFIG names several files (/a:/b): pass one of them as --kubeconfig FILE'),
    );
  });

  it('has a line of help for every option', () => {
    for (const option of [
      'kubeconfig',
      'apply',
      'install-crds',
      'exit-when-ready',
      'timeout',
      'watch-filter',
      'json',
    ]) {
      expect(help).toContain(`\n  --${option} `);
    }
  });
});

it('a usage error is one line whatever it quotes', () => {
  expect(new UsageError('first\n  second\r\n\nthird\n').message).toBe('first second third');
});
