// The Lambda function of the delay queue in a provider's deployment.
import { handler as timer } from '../../functions/timer/handler.ts';
import type { ProviderHandler } from './lambda.ts';

export const handler: ProviderHandler = timer;
