import FirstlightModel
import FleetModel
import Testing

/// What goes of a store, in which order and why.
@Suite struct RetentionRulesTests {
  private static let today = FleetDay(number: 20_000)

  /// A build that reported so many days ago, each time for the same day.
  private static func build(
    _ id: String, _ program: String = "server", ago: [Int], bytes: Int = 10, functions: Int = 0,
    registered: Int? = nil
  ) -> StoreInventory.Build {
    StoreInventory.Build(
      key: BuildKey(buildID: BuildID(id)!), program: program,
      registered: registered.map { day($0) },
      days: ago.map { StoreInventory.Day(day: day($0), received: day($0), bytes: bytes) },
      functionBytes: functions)
  }

  private static func day(_ ago: Int) -> FleetDay {
    FleetDay(number: today.number - Int32(ago))
  }

  /// What goes, as text with the reason.
  private static func plan(
    _ rules: RetentionRules, _ builds: [StoreInventory.Build], bytes: Int? = nil
  ) -> [String] {
    let inventory = StoreInventory(
      builds: builds, bytes: bytes ?? builds.reduce(0) { $0 + $1.bytes })
    let deletions = rules.deletions(from: inventory, today: today)
    #expect(
      rules.deletions(
        from: StoreInventory(builds: builds.reversed(), bytes: inventory.bytes), today: today)
        == deletions)
    return deletions.map { deletion in
      switch deletion.target {
      case .days(let before): "\(deletion.reason): \(today.number - before.number) days"
      case .build(let key, _, _): "\(deletion.reason): \(key.buildID)"
      }
    }
  }

  private static let none = RetentionRules(days: nil, builds: nil, bytes: nil)

  @Test func daysGoByAgeAndABuildWithItsLastOne() {
    var rules = Self.none
    rules.days = 90
    let builds = [
      Self.build("aa", ago: [200, 91, 90, 0]), Self.build("bb", ago: [91]),
      Self.build("cc", ago: [400, 300]), Self.build("dd", ago: [90]),
    ]
    #expect(
      Self.plan(rules, builds) == [
        "retain-days=90: 90 days", "retain-days=90: cc", "retain-days=90: bb",
      ])
    #expect(Self.plan(rules, [Self.build("aa", ago: [90, 3])]).isEmpty)
    #expect(Self.plan(Self.none, builds).isEmpty)
  }

  /// A host whose clock stands at 1970 reports as others do.
  @Test func evidenceIsAsOldAsItsArrival() {
    var rules = Self.none
    rules.days = 90
    var builds = [Self.build("aa", ago: [0]), Self.build("bb", ago: [100])]
    builds[0].days[0].day = FleetDay(number: 0)
    builds[1].days[0].day = FleetDay(number: 40_000)
    #expect(
      Self.plan(rules, builds) == ["retain-days=90: 90 days", "retain-days=90: bb"])
  }

  @Test func functionsThatNobodyReportsGoByTheDayTheyCame() {
    var rules = Self.none
    rules.days = 90
    #expect(
      Self.plan(
        rules,
        [
          Self.build("aa", ago: [], registered: 90), Self.build("bb", ago: [], registered: 91),
          Self.build("cc", ago: [100], registered: 2),
        ]) == ["retain-days=90: 90 days", "retain-days=90: bb"])
  }

  @Test func ofTooManyBuildsTheOldestGoUnlessTheyReport() {
    var rules = Self.none
    rules.builds = 2
    let old = (1...4).map { Self.build("a\($0)", ago: [40 - $0, 30 - $0]) }
    #expect(Self.plan(rules, old) == ["retain-builds=2: a1", "retain-builds=2: a2"])
    // Others of another program do not count, those that report do.
    let all = old + [Self.build("b1", "other", ago: [50]), Self.build("ff", ago: [0])]
    #expect(
      Self.plan(rules, all) == ["a1", "a2", "a3"].map { "retain-builds=2: \($0)" })
    let reporting = (1...5).map { Self.build("c\($0)", ago: [7, 90]) }
    #expect(Self.plan(rules, reporting).isEmpty)
  }

  /// Counters are part of their build, and as young.
  @Test func countersGoWithTheirBuild() {
    var rules = Self.none
    rules.builds = 1
    func counters(_ id: String, ago days: [Int]) -> StoreInventory.Build {
      var build = Self.build(id, ago: days)
      build.key.recorder = .counters
      return build
    }
    let builds = [
      Self.build("aa", ago: [40]), counters("aa", ago: [39]), Self.build("bb", ago: [30]),
      counters("bb", ago: [30]),
    ]
    #expect(Self.plan(rules, builds) == ["retain-builds=1: aa", "retain-builds=1: aa"])
    let younger = [Self.build("aa", ago: [40]), counters("aa", ago: [20]), builds[2], builds[3]]
    #expect(Self.plan(rules, younger) == ["retain-builds=1: bb", "retain-builds=1: bb"])
  }

  /// Anyone who may send runs can make builds up, but not their functions.
  @Test func buildsWithoutFunctionsPushNoOtherOut() {
    var rules = Self.none
    rules.builds = 2
    let named = Self.build("aa", ago: [10], registered: 20)
    let forged = (1...9).map { Self.build("b\($0)", ago: [0]) }
    #expect(Self.plan(rules, [named] + forged).isEmpty)
  }

  @Test func ofATooLargeStoreTheOldestDaysGoFirst() {
    var rules = Self.none
    rules.bytes = 100
    let builds = [
      Self.build("aa", ago: [60, 50, 40, 1], functions: 30),
      Self.build("bb", ago: [55, 45], functions: 40),
    ]
    // 130 bytes in all; the rest, which no day has, stays.
    #expect(Self.plan(rules, builds, bytes: 100).isEmpty)
    #expect(Self.plan(rules, builds, bytes: 110) == ["retain-bytes=100: 59 days"])
    #expect(Self.plan(rules, builds, bytes: 130) == ["retain-bytes=100: 49 days"])
    // With the last day of a build its functions go.
    #expect(
      Self.plan(rules, builds, bytes: 150) == [
        "retain-bytes=100: 44 days", "retain-bytes=100: bb",
      ])
    // What came last stays, however large it is.
    #expect(
      Self.plan(rules, builds, bytes: 10_000) == [
        "retain-bytes=100: 39 days", "retain-bytes=100: bb",
      ])
    #expect(Self.plan(rules, [Self.build("aa", ago: [0, 7])], bytes: 1000).isEmpty)
  }

  @Test func whatOneRuleTakesAnotherDoesNotTakeAgain() {
    let rules = RetentionRules(days: 90, builds: 1, bytes: 20)
    let builds = [
      Self.build("aa", ago: [100]), Self.build("bb", ago: [50]), Self.build("cc", ago: [40, 30]),
    ]
    #expect(
      Self.plan(rules, builds) == [
        "retain-days=90: 90 days", "retain-days=90: aa", "retain-builds=1: bb",
      ])
  }

  @Test(arguments: [Int32.max, 0, -5])
  func numbersAtTheirLimitsHarmNothing(number: Int32) {
    var build = Self.build("aa", ago: [0])
    build.days[0].received = FleetDay(number: number)
    for most in [1, .max] {
      let rules = RetentionRules(days: most, builds: most, bytes: most)
      for today in [FleetDay(number: 0), Self.today] {
        let inventory = StoreInventory(builds: [build], bytes: .max)
        #expect(rules.deletions(from: inventory, today: today).count <= 2)
      }
    }
  }
}
