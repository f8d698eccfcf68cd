module.exports = { globalSetup: "fakeplat/global-setup" };
