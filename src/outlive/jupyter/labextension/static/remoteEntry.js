// A federated extension of JupyterLab and Notebook 7, written by hand: no build step.
// It shows what the server extension tells: why a kernel died.
(function () {
  "use strict";

  var SCHEMA = "https://events.outlive/kernel-died/v1";

  function show(app, died) {
    // JupyterLab cuts long texts: what matters most comes first.
    var where = died.where ? " at " + died.where : "";
    var message = "The kernel died" + where + (died.cell_told ? "" : " while no cell was running") + ". " + died.says;
    var told = { message: message, type: "error", options: { autoClose: false } };
    if (app.commands.hasCommand("apputils:notify")) {
      app.commands.execute("apputils:notify", told);
    } else {
      console.warn(message);
    }
  }

  var plugin = {
    id: "outlive:toast",
    description: "Shows why a kernel died.",
    autoStart: true,
    activate: function (app) {
      app.serviceManager.events.stream.connect(function (_, emission) {
        if (emission.schema_id === SCHEMA) {
          show(app, emission);
        }
      });
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB.outlive = {
    init: function () {},
    get: function () {
      return Promise.resolve(function () {
        return { __esModule: true, default: plugin };
      });
    },
  };
})();
