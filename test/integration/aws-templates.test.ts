// The templates of example deployments, checked by cfn-lint for each region that offers Lambda function URLs.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasFunctionUrls, regionsOf } from '../../infra/aws/regions.ts';
import { cfnLint } from '../cfn-lint/cfn-lint.ts';
import { describePart } from '../support/describe-part.ts';
import { exampleDeployments, writeTemplates } from '../support/example-deployments.ts';
import { findPythonProgram } from '../support/python-packages.ts';
import { makeBundles } from '../support/synthesised.ts';

/** Half a minute without other load. The timeout is only against a check that hangs. */
const timeoutMs = 1_800_000;

interface LintResult {
  readonly regions: readonly string[];
  readonly findings: readonly {
    readonly file: string;
    readonly rule: string;
    readonly message: string;
    readonly path: string;
  }[];
}

/** Accepted warnings. A warning that no template has any more is an error. */
const accepted: Readonly<Record<string, { readonly path: RegExp; readonly reason: string }>> = {
  W3005: {
    path: /^Resources\/\w+\/DependsOn\/\d+$/,
    reason:
      'The CDK makes each function and schedule depend on its role and on the policy of the role. The first one is redundant, the second one is not',
  },
};

/** One error that every region has, and one that only the regional specifications can find. */
const faulty = {
  Resources: {
    Address: { Type: 'AWS::Lambda::Url', Properties: { AuthType: 'OPEN', TargetFunctionArn: 'arn:aws:lambda:…' } },
    Table: { Type: 'AWS::Timestream::Table', Properties: { DatabaseName: 'of-few-regions' } },
  },
};

describePart('the templates of example deployments', findPythonProgram(cfnLint), {
  part: 'cfn-lint',
  declare: ({ program, environment }) => {
    const made = makeBundles();
    const faultyFile = path.join(made.folder, 'faulty.json');
    let names: readonly string[];
    let result: LintResult;

    beforeAll(() => {
      const templates = writeTemplates(exampleDeployments(), made);
      names = [...templates.keys()];
      writeFileSync(faultyFile, JSON.stringify(faulty));
      const { status, stdout, stderr } = spawnSync('python3', [program, ...templates.values(), faultyFile], {
        encoding: 'utf8',
        env: { ...process.env, ...environment },
        maxBuffer: 64 * 1024 * 1024,
      });
      if (status !== 0) {
        throw new Error(`cfn-lint ended with ${status}:\n${stderr}`);
      }
      result = JSON.parse(stdout);
    }, timeoutMs);

    afterAll(() => made.remove());

    const findingsOf = (isOurs: boolean) => result.findings.filter(({ file }) => (file !== faultyFile) === isOurs);

    it('are those below examples/deployments, and two that together have every kind of resource', () => {
      expect(names).toEqual(expect.arrayContaining(['capi-lab', 'capi-lean', 'capi-everything', 'capi-tokens']));
    });

    it('are checked in every commercial region with function URLs', () => {
      expect(result.regions.length).toBeGreaterThan(25);
      expect(result.regions).toEqual(expect.arrayContaining(['eu-central-1', 'us-east-1', 'ap-southeast-2']));
    });

    it('are refused in each region without Function URLs, as cfn-lint knows the regions', () => {
      const offering = Object.values(regionsOf).flat().filter(hasFunctionUrls);
      expect(offering.length).toBeGreaterThan(20);
      expect(offering.filter(region => !result.regions.includes(region))).toEqual([]);
    });

    it('have no error and no warning without a reason', () => {
      const unexplained = findingsOf(true).filter(finding => !accepted[finding.rule]?.path.test(finding.path));
      expect(unexplained.map(({ file, ...rest }) => ({ template: path.basename(file), ...rest }))).toEqual([]);
    });

    it.each(Object.keys(accepted))('still have the accepted warning %s', rule => {
      expect(findingsOf(true).some(finding => finding.rule === rule)).toBe(true);
    });

    it('would have errors with a wrong value or a resource that a region lacks', () => {
      const found = findingsOf(false).map(({ rule, path: at }) => `${rule} ${at}`);
      expect(found).toEqual(
        expect.arrayContaining(['E3030 Resources/Address/Properties/AuthType', 'E3006 Resources/Table/Type']),
      );
    });
  },
});
