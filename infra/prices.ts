// The prices of AWS that the cost estimate and the cost lines of the dashboard use.

/** The prices are for one region, from pages that quote AWS. Compare them with `pages` before you use a sum. */
export const source = {
  region: 'us-east-1',
  asOf: '2026-06',
  isCheckedAgainstAws: false,
  pages: [
    'https://aws.amazon.com/lambda/pricing/',
    'https://aws.amazon.com/sqs/pricing/',
    'https://aws.amazon.com/eventbridge/pricing/',
    'https://aws.amazon.com/cloudwatch/pricing/',
    'https://aws.amazon.com/secrets-manager/pricing/',
    'https://aws.amazon.com/ec2/pricing/on-demand/',
    'https://aws.amazon.com/privatelink/pricing/',
    'https://aws.amazon.com/vpc/pricing/',
  ],
} as const;

/** USD per unit, without free tiers. */
export const usdOf = {
  lambdaRequest: 0.2 / 1e6,
  lambdaGbSecondArm64: 0.0000133334,
  sqsFifoRequest: 0.5 / 1e6,
  sqsStandardRequest: 0.4 / 1e6,
  schedulerInvocation: 1 / 1e6,
  logGb: 0.5,
  /** The price per metric of an alarm. */
  alarmMonth: 0.1,
  /** The price per metric, for the hours in which it has values. */
  metricMonth: 0.3,
  dashboardMonth: 3,
  secretMonth: 0.4,
  secretRead: 0.05 / 1e4,
  endpointHour: 0.01,
  natGatewayHour: 0.045,
  natGatewayGb: 0.045,
} as const;

/** The free dashboards of an account, each with at most these metrics. */
export const freeDashboards = { count: 3, metrics: 50 } as const;

const days = 30;

export const month = { days, hours: days * 24, minutes: days * 1440, seconds: days * 86_400 } as const;
