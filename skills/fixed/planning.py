"""Events, notes, calls, messages, orders and bookings: what nothing here does."""

from __future__ import annotations

from skills.fixed.replies import FixedReply

SUBJECTS = (
    FixedReply(
        "InviteGuest",
        "I can't invite anybody.",
        (
            "invite {who} to (dinner|lunch|the party|my birthday)",
            "(send|write) [out] [the] invitations [(to|for) {what}]",
        ),
        names=True,
    ),
    FixedReply(
        "TakeNote",
        'Say "note that", and then what to note.',
        (
            "(take|make|write|add|create) (a|another|me a) [quick] note [(that|of|about|to) "
            "{what}]",
            "(note|write|jot) down (that|{what})",
            "note that {what}",
            "(write|note|jot) (this|that|it) down",
            "(remember|memorise|keep in mind) (that|where|when|what|this|for me) [{what}]",
            "(save|record|store) (this|that|a memo|a voice memo|a note) [for me]",
            "(learn|remember) (my|his|her|our) {what}",
        ),
        names=True,
    ),
    FixedReply(
        "MakeCall",
        "I can't make calls.",
        (
            "(call|phone|ring|dial|telephone|facetime|video call) <family> [back|again|up|now]",
            "(call|phone|ring|dial|telephone|facetime) {who}",
            "(call|phone|ring) <family> on (his|her|their|the) (mobile|phone|cell|landline)",
            "(give|get) (<family>|{who}) a (ring|call|bell|buzz)",
            "(get|put) (<family>|{who}) on the (phone|line|speaker)",
            "put me through to (<family>|{who})",
            "(make|place|start) (a|the|my) [phone|video|conference] call [(to|with) "
            "(<family>|{who})]",
            "(start|join|open|dial into) (my|the|our) [{clock}] (call|video call|meeting|zoom"
            "|conference call|team call) [with {who}]",
            "(answer|pick up|get|hang up) (the|that|my) (phone|call|telephone)",
            "(hang up|redial|call back|i need to make a call|i want to phone somebody)",
            "(call|ring|dial) (the|this|that|my|his|her) (number|work|office|voicemail)",
            "(who called|who rang|have i missed any calls|did anybody call|any missed calls)",
        ),
    ),
    FixedReply(
        "CallForHelp",
        "I can't call for help. Please use a phone, or ask somebody near you.",
        (
            "(call|get|phone|ring|dial|send for) [me] (an ambulance|the police|a doctor|help)",
            "(call|phone|ring|dial) (the fire brigade|the fire department|emergency services)",
            "(call|phone|ring|dial) (999|911|112|111|101|9 1 1|9 9 9)",
            "(i|we) need (an ambulance|the police|a doctor|the fire brigade|help right now)",
            "(there is a fire|the house is on fire|somebody is breaking in|there is a burglar)",
            "(i have fallen|i fell|i have fallen and i can not get up|i can not breathe)",
            "(somebody|someone|she|he) (is hurt|is bleeding|has fallen|has collapsed)",
        ),
    ),
    FixedReply(
        "SendMessage",
        "I can't send messages.",
        (
            "(text|message|email|whatsapp|ping|mail|dm) (<family>|{who})",
            "(text|message|email|whatsapp|ping|mail) (<family>|{who}) (that|and|to say|saying) "
            "{what}",
            "(send|write|type|shoot|drop) (<family>|{who}) (a|an|another|my) "
            "(text|message|email|line|whatsapp|letter|card|picture|photo)",
            "(send|write) (a|an|another|the) (text|message|email|whatsapp|letter|card|tweet) "
            "[to (<family>|{who})] [(that|saying|and say|to say) {what}]",
            "(let|tell) <family> know [(that|when|if|about) {what}]",
            "let {who} know (that|when|if|about|to|where|why|how|i|we|he|she|they|it|there) {what}",
            "let {who} know",
            "(tell|warn|ask|inform) (<family>|{who}) (not to|we|he|she|they|it|about|where) {what}",
            "(pass|give) (<family>|{who}) (a|the|this) message [(that|from me) {what}]",
            "tell (<family>|{who}) (that|i am|we are|i will|we will|to|he|she|dinner) {what}",
            "ask (<family>|{who}) (if|whether|to|for|when|where|what|how|who) {what}",
            "(read|check|show|open) [me] (my|the|our) [new] (messages|emails|texts|mail|inbox)",
            "(do i have|have i got|are there|is there) (any|a) [new|unread] (messages|mail|emails"
            "|texts|post)",
            "[any] (new messages|new emails|new texts|unread messages)",
            "(reply|answer|respond|write back) (to (<family>|{who})|to that|to it) [(that|saying) "
            "{what}]",
            "(did|has) {who} (text|write|reply|email|message|texted|written|replied|messaged) "
            "[me|back|yet]",
            "(send|forward|share|post) (this|that|it) (to (<family>|{who})|on {place})",
            "say (happy birthday|hello|hi|thank you) to (<family>|{who}) from me",
        ),
    ),
    FixedReply(
        "OrderThing",
        "I can't order or buy anything.",
        (
            "(order|buy|purchase|reorder) [me|us|some|a|another|more] {what}",
            "(order|get|buy) [me|us] (a pizza|pizza|a takeaway|some food|a curry|a chinese|sushi)",
            "(order|buy) (it|that|this|them|some|one|more|dinner|lunch|groceries|the shopping)",
            "(get|have) {what} delivered [<moment>]",
            "(get|have) (it|that|this|them|the groceries|dinner) (delivered|sent) [<moment>]",
            "(do|place) (my|our|the) [weekly] (shopping|order|grocery order)",
            "where is (my|our|the) (parcel|package|order|delivery|takeaway|pizza|post|postman)",
            "(has|have) (my|our|the) (parcel|package|order|delivery|post) (come|arrived|shipped"
            "|left)",
            "(track|check on|cancel|change) (my|our|the) (parcel|package|order|delivery)",
            "when (will|does|is) (my|our|the) (parcel|package|order|delivery) "
            "(come|arrive|get here|coming|arriving|due)",
            "(pay|send money|transfer money|pay the bill|pay {what}|donate {what})",
            "(what is|check) my (bank balance|balance|account)",
        ),
        names=True,
    ),
    FixedReply(
        "BookThing",
        "I can't book anything.",
        (
            "(book|reserve) [me|us] (a|the|two|some) "
            "(table|room|hotel|flight|ticket[s]|seat[s]|holiday|haircut|court|class|slot) "
            "[(for|at|to|on) {what}]",
            "(book|reserve) {what} [<moment>]",
            "(get|buy) [me|us] (a|two|some|the) (ticket[s]|seat[s]) [(for|to) {what}]",
            "(make|get|change|cancel) (a|the|my|our) (reservation|booking) [(at|for) {what}]",
            "check (me|us) in [for (my|our|the) flight]",
        ),
    ),
    FixedReply(
        "ControlCar",
        "I can't reach your car.",
        (
            "(start|stop|lock|unlock|defrost|warm up|heat up|pre heat|preheat|charge|warm|heat|cool"
            "|cool down) (the|my|our|his|her) car [up] [(and|then) {what}]",
            "(open|close|shut) (the|my|our) (boot|bonnet|trunk|sunroof|car windows|car doors)",
            "(turn on|switch on) (the|my|our) (engine|car|car heating|car heater)",
            "is (the|my|our) car (locked|unlocked|charged|charging|plugged in|warm|open)",
            "(where is|where did i park|find) (the|my|our) car",
            "how much (petrol|fuel|diesel|charge|battery|range) (is in|has|is left in) (the|my"
            "|our) "
            "car [got|left]",
            "what is (the|my|our) (car's|car) (range|battery|charge|fuel level)",
        ),
    ),
    FixedReply(
        "CallTaxi",
        "I can't call a taxi.",
        (
            "(get|call|order|book|send for|find|i need|we need) [me|us] (a|an|the) "
            "(taxi|cab|uber|lyft|minicab|ride|lift) [(to|for|at|from) {what}] [<moment>]",
            "(get|call|order|book) [me|us] (a|an) (taxi|cab|uber|ride) (in|for|at|to) {what}",
            "(how much is|how long for|how much would be) (a|the) (taxi|cab|uber) [to {place}]",
            "(where is|is) (my|our|the) (taxi|cab|uber|ride) [here|coming|on its way]",
        ),
    ),
    FixedReply(
        "RenameThing",
        "I can only rename timers.",
        (
            "(call|name) (it|that|this|that one|this one|the timer|the list) {what}",
            "rename (it|that|this|{what}) [(to|as) {place}]",
            "(change|set) (its|the|his|her) name (to|of) {what}",
        ),
    ),
    FixedReply(
        "MakeAutomation",
        "I can't set up automations yet. I can make a routine that you start by its name.",
        (
            "(create|make|set up|add|save|build) (a|an|the|another) [new] (automation|scene|rule)",
            "(create|make|set up|add) (a|an) (automation|scene|rule) (for|that|called|to) {what}",
            "(every time|whenever) {what} (turn|switch|open|close|tell|do|play) {place}",
            "(put|set) {what} on a (schedule|timer schedule)",
        ),
    ),
)
