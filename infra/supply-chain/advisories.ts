// Security advisories of the registry about the shipped packages. Pure.
import * as z from 'zod';

const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const;
const failing: ReadonlySet<string> = new Set(['high', 'critical']);

const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      name: z.string(),
      severity: z.enum(severities),
      range: z.string().default('*'),
      /** The advisories, and the names of the packages that cause the finding. */
      via: z.array(z.union([z.string(), z.object({ title: z.string().default('') })])).default([]),
    }),
  ),
});

const refusalSchema = z.object({
  statusCode: z.number().optional(),
  error: z.object({ code: z.string().optional() }).optional(),
});

type Advice =
  | { readonly kind: 'skipped'; readonly why: string }
  | { readonly kind: 'answered'; readonly problems: readonly string[]; readonly notes: readonly string[] };

/**
 * Parses the output of `npm audit --json`. High and critical advisories are problems, lower ones are notes. Never
 * contains the name of the registry.
 */
export function readAudit(output: string): Advice {
  const json = parseJson(output);
  const report = reportSchema.safeParse(json);
  if (!report.success) {
    return { kind: 'skipped', why: whyUnanswered(json) };
  }
  const found = Object.values(report.data.vulnerabilities).map(({ name, severity, range, via }) => {
    const titles = via.flatMap(one => (typeof one === 'string' ? [] : [one.title])).join('; ');
    return {
      isFailing: failing.has(severity),
      line: `${name} ${range}: ${severity}${titles === '' ? '' : `, ${titles}`}`,
    };
  });
  return {
    kind: 'answered',
    problems: found.filter(({ isFailing }) => isFailing).map(({ line }) => line),
    notes: found.filter(({ isFailing }) => !isFailing).map(({ line }) => line),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message is omitted, because it quotes addresses. */
function whyUnanswered(json: unknown): string {
  const { statusCode, error } = refusalSchema.safeParse(json).data ?? {};
  if (statusCode !== undefined) {
    return `the registry serves no advisories (status ${statusCode})`;
  }
  return error?.code === undefined ? 'npm audit gave no answer' : `the request to the registry failed (${error.code})`;
}
