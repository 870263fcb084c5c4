// The provider of `npx capi-serverless start --provider examples/actuator`.
import { defineRackActuator } from './rack-actuator.ts';
import { createRacksInMemory } from './racks.ts';

export const reconcilers = [defineRackActuator(createRacksInMemory())];
