// What `npm start -- --provider examples/actuator` runs.
import { defineRackActuator } from './rack-actuator.ts';
import { createRacksInMemory } from './racks.ts';

export const reconcilers = [defineRackActuator(createRacksInMemory())];
