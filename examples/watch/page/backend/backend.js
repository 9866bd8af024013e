// Who answers requests. The folder that watch -site writes has local.js here.

export * from './server.js';
