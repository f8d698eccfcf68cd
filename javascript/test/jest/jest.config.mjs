export default { globalSetup: "fakeplat/global-setup", testMatch: ["**/*.test.mjs"], transform: {} };
