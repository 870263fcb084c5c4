import { describe, expect, it } from 'vitest';
import { readAudit } from '../../../../infra/supply-chain/advisories.ts';

const answered = (severity: string) => ({
  auditReportVersion: 2,
  vulnerabilities: {
    a: { name: 'a', severity, range: '<1.2.0', via: [{ title: 'Reads too much' }, 'b'] },
  },
});

describe('advisories', () => {
  it.each(['high', 'critical'])('of severity %s are problems', severity => {
    expect(readAudit(JSON.stringify(answered(severity)))).toEqual({
      kind: 'answered',
      problems: [`a <1.2.0: ${severity}, Reads too much`],
      notes: [],
    });
  });

  it.each(['info', 'low', 'moderate'])('of severity %s are notes', severity => {
    expect(readAudit(JSON.stringify(answered(severity)))).toMatchObject({
      problems: [],
      notes: [expect.stringMatching(/^a <1\.2\.0/)],
    });
  });

  it('may be an empty list', () => {
    const none = { auditReportVersion: 2, vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } };
    expect(readAudit(JSON.stringify(none))).toEqual({ kind: 'answered', problems: [], notes: [] });
  });

  it.each([
    {
      output: { message: '405 Method Not Allowed - POST https://npm.example.com/x', statusCode: 405, error: {} },
      why: 'the registry serves no advisories (status 405)',
    },
    {
      output: { message: 'request to https://npm.example.com failed', error: { code: 'ENOTFOUND', summary: 'x' } },
      why: 'the request to the registry failed (ENOTFOUND)',
    },
    { output: '', why: 'npm audit gave no answer' },
  ])('are skipped, without a host, when $why', ({ output, why }) => {
    expect(readAudit(JSON.stringify(output))).toEqual({ kind: 'skipped', why });
  });

  it('are skipped when npm printed nothing', () => {
    expect(readAudit('')).toEqual({ kind: 'skipped', why: 'npm audit gave no answer' });
  });
});
